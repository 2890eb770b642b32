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

/// Secrets by which the front and its agents trust each other.
struct secrets {
  libpool::tls_files files;
  std::string token_file;
};

/// Options of `farm front`.
struct front_options {
  secrets known;
  std::vector<std::string> paths;
  /// Address at which nodes join.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::chrono::nanoseconds lease = std::chrono::seconds{5};
  /// Number of retries of a file whose node was lost.
  unsigned retries = 3;
  /// Maximum bytes of contents in flight.
  std::uint64_t capacity = std::uint64_t{64} << 20U;
  /// Maximum size of a file that is sent to a node.
  std::uint64_t largest = std::uint64_t{64} << 20U;
  /// Number of agents to start on this machine, and whether they are killed and
  /// stopped at random.
  std::size_t agents = 0;
  bool chaos = false;
  live_page::wanted live;
};

/// Options of `farm agent`.
struct agent_options {
  secrets known;
  libpool::gate_address where;
  /// Number of slots; 0: one for each core.
  std::size_t slots = 0;
  std::string name;
  std::vector<std::string> labels;
};

using command = std::variant<front_options, agent_options>;

/// Exit codes of the program. A program that a signal has ended returns 128
/// plus the number of the signal, as in shells.
enum exit_code : int {
  success = 0,
  some_failed = 1, ///< a file, the output or the start failed
  usage = 2,
};

/// Reads the command line. If the program is to end, prints the help, or the
/// error and the usage, and returns the exit code.
std::variant<command, exit_code> parse(int argc, const char* const* argv);

/// Returns an address such as "10.0.0.1:80", "host:80" or "[::1]:80".
///
/// Errors: std::invalid_argument.
libpool::gate_address address_in(const std::string& text);

} // namespace farm
