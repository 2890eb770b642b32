#pragma once

#include "demand.hpp"

#include "live_page/live_page.hpp"

#include <string>
#include <variant>

namespace tenants {

/// The options of the command line.
struct options {
  tenants::scenario scenario;
  std::string plot;
  live_page::wanted live;
};

/// The program's exit codes.
enum exit_code : int {
  success = 0,
  output_failed = 1, ///< or there are no threads
  usage = 2,
};

/// Reads the command line. Prints the help, or the error and the usage, and
/// returns the exit code if the program is to end.
std::variant<options, exit_code> parse(int argc, const char* const* argv);

} // namespace tenants
