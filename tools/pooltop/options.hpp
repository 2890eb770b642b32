#pragma once

#include "address.hpp"

#include <chrono>
#include <string>
#include <variant>

namespace pooltop {

/// Options of the command line.
struct options {
  address server;
  std::chrono::milliseconds interval{500};
  std::string token; ///< empty: no token
  std::string pool;  ///< empty: the first pool
  bool is_once = false;
  bool is_ascii = false;
};

/// Exit codes of the program.
enum exit_code : int {
  success = 0,
  failed = 1, ///< the server did not send the state of its pools
  invalid = 2,
};

/// Reads the command line. If nothing is left to do, prints the help, or the
/// error and the usage, and returns the exit code.
std::variant<options, exit_code> parse(int argc, const char* const* argv);

} // namespace pooltop
