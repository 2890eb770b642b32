#pragma once

#include <iosfwd>

namespace poolctl {

/// Runs the command that the arguments name. Returns the exit code: 1 if the
/// server is not reached or refuses the command, 2 for wrong usage.
int run(int argc, const char* const* argv, std::ostream& out,
        std::ostream& err);

} // namespace poolctl
