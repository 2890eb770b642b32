#pragma once

#include "demand.hpp"

#include <string>
#include <variant>

namespace tenants {

/// What the user asked for.
struct options {
  scenario what;
  std::string plot;
};

/// The program's exit codes.
enum exit_code : int {
  success = 0,
  output_failed = 1, ///< or there are no threads
  usage = 2,
};

/// Reads the command line. Prints the help, or what is wrong and the usage, and
/// returns the exit code where there is nothing left to do.
std::variant<options, exit_code> parse(int argc, const char* const* argv);

} // namespace tenants
