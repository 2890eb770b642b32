#pragma once

#include "live_page/live_page.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace word_count {

/// The options of the command line.
struct options {
  std::string path = "/usr/share/common-licenses";
  std::size_t workers = 0;
  std::uint64_t chunk = 65'536;
  /// How many words are shown; empty: all.
  std::optional<std::size_t> top;
  bool quiet = false;
  live_page::wanted live;
};

/// The program's exit codes.
enum exit_code : int {
  success = 0,
  some_failed = 1, ///< a file, or the output
  usage = 2,
};

/// Reads the command line. Prints the help, or the error and the usage, and
/// returns the exit code if the program is to end.
std::variant<options, exit_code> parse(int argc, const char* const* argv);

} // namespace word_count
