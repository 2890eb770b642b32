#pragma once

#include "address.hpp"

#include <chrono>
#include <string>
#include <variant>

namespace pooltop {

/// The options of the command line.
struct options {
  address server;
  std::chrono::milliseconds interval{500};
  std::string token; ///< or none
  std::string pool;  ///< or the first one
  bool is_once = false;
  bool is_ascii = false;
};

/// The program's exit codes.
enum exit_code : int {
  success = 0,
  failed = 1, ///< the server has not told of its pools
  invalid = 2,
};

/// Reads the command line. Prints the help, or what is wrong and the usage, and
/// returns the exit code where there is nothing left to do.
std::variant<options, exit_code> parse(int argc, const char* const* argv);

} // namespace pooltop
