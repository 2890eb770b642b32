#pragma once

#include <iosfwd>

namespace poolctl {

enum exit_code {
  success = 0,
  failed = 1,  ///< the server is not reached, or refuses the command
  invalid = 2, ///< wrong usage
};

/// Runs the command that the arguments name.
exit_code run(int argc, const char* const* argv, std::ostream& out,
              std::ostream& err);

} // namespace poolctl
