#pragma once

#include "live_page/live_page.hpp"

#include "libpool/remote/connect.hpp"
#include "libpool/remote/network.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace farm {

/// By what the front and its agents know each other.
struct secrets {
  libpool::tls_files files;
  std::string token_file;
};

/// `farm front`
struct front_options {
  secrets known;
  std::vector<std::string> paths;
  /// Where nodes join.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::chrono::nanoseconds lease = std::chrono::seconds{5};
  /// How often a file is sent again whose node was lost.
  unsigned retries = 3;
  /// So many bytes of contents are under way at once.
  std::uint64_t capacity = std::uint64_t{64} << 20U;
  /// A bigger file does not travel.
  std::uint64_t largest = std::uint64_t{64} << 20U;
  /// Agents to start on this machine, and whether they have a hard life.
  std::size_t agents = 0;
  bool chaos = false;
  live_page::wanted live;
};

/// `farm agent`
struct agent_options {
  secrets known;
  libpool::gate_address where;
  /// 0: one for each core.
  std::size_t slots = 0;
  std::string name;
  std::vector<std::string> labels;
};

using command = std::variant<front_options, agent_options>;

/// The program's exit codes. One that a signal has ended has 128 and the number
/// of the signal, as shells have it.
enum exit_code : int {
  success = 0,
  some_failed = 1, ///< a file, the output, or what it takes to begin
  usage = 2,
};

/// Reads the command line. Prints the help, or the error and the usage, and
/// returns the exit code if the program is to end.
std::variant<command, exit_code> parse(int argc, const char* const* argv);

/// An address like "10.0.0.1:80", "host:80" or "[::1]:80".
///
/// Errors: std::invalid_argument.
libpool::gate_address address_in(const std::string& text);

} // namespace farm
