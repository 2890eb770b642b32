#pragma once

#include "report.hpp"

#include <string>
#include <variant>

namespace poolsim {

/// Options of the command line.
struct options {
  std::string scenario;    ///< a file, or `-`
  bool recommends = false; ///< whether all policies are compared
  bool is_trace = false;   ///< whether the file is a trace, to be converted
  detail shown = detail::tasks;
  bool is_table = false; ///< whether the result is a table
  std::string plot;      ///< a file; empty: no picture
  std::string trace;     ///< a file; empty: no trace
};

/// Exit codes of the program.
enum exit_code : int {
  success = 0,
  failed = 1, ///< the result could not be written, or memory ran out
  invalid = 2,
};

/// Reads the command line. If nothing is left to do, prints the help, or the
/// error and the usage, and returns the exit code.
std::variant<options, exit_code> parse(int argc, const char* const* argv);

} // namespace poolsim
