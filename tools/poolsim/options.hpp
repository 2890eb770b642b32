#pragma once

#include "report.hpp"

#include <string>
#include <variant>

namespace poolsim {

/// The options of the command line.
struct options {
  std::string scenario; ///< a file, or `-`
  detail shown = detail::tasks;
  std::string plot;  ///< a file, or none
  std::string trace; ///< a file, or none
};

/// The program's exit codes.
enum exit_code : int {
  success = 0,
  failed = 1, ///< to write the result, or for want of memory
  invalid = 2,
};

/// Reads the command line. Prints the help, or what is wrong and the usage, and
/// returns the exit code where there is nothing left to do.
std::variant<options, exit_code> parse(int argc, const char* const* argv);

} // namespace poolsim
