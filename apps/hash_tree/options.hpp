#pragma once

#include "live_page/live_page.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace hash_tree {

/// The options of the command line.
struct options {
  std::size_t workers = 0;
  std::string policy = "shared_queue";
  bool compare = false;
  bool chaos = false;
  bool stats = false;
  bool follow = false;
  std::string json;
  std::string trace;
  std::string plot;
  live_page::wanted live;
  std::vector<std::string> paths;
};

/// The program's exit codes.
enum exit_code : int {
  success = 0,
  some_failed = 1, ///< a file, or an output
  usage = 2,
};

/// Reads the command line. Prints the help, or the error and the usage, and
/// returns the exit code if the program is to end.
std::variant<options, exit_code> parse(int argc, const char* const* argv);

} // namespace hash_tree
