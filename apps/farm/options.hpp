#pragma once

#include "live_page/live_page.hpp"

#include "libpool/nodes/pool_address.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace farm {

/// Name of the pool at the servers.
constexpr const char* pool_name = "farm";

/// Way of a program to the NATS servers.
struct way {
  /// Addresses of servers.
  std::vector<std::string> servers;
  /// Folder with the certificates of the program and of the CA; empty: without
  /// TLS.
  std::string certificates;
  /// Name of the program, and of the files of its certificate.
  std::string name;
};

/// Files to hash.
struct tree_options {
  std::vector<std::string> paths;
  /// Maximum bytes of contents in flight.
  std::uint64_t capacity = std::uint64_t{64} << 20U;
  /// Maximum size of a file that is sent to the pool; less than the maximum
  /// size of a message that servers have as their default, 1 MiB.
  std::uint64_t largest = 1'000'000;
  /// Number of retries of a file whose node, or front, was lost.
  unsigned retries = 3;
  live_page::wanted live;
};

/// Options of `farm front`.
struct front_options {
  way to;
  /// Files to hash; without paths, the front serves submitters until it is told
  /// to end.
  tree_options tree;
  std::chrono::nanoseconds lease = std::chrono::seconds{5};
  /// Whether the pool also handles the files of a durable queue.
  bool durable = false;
  /// Time after which another front serves the pool if this one is lost; unset:
  /// no other front.
  std::optional<std::chrono::nanoseconds> standby = std::nullopt;
  /// Whether the nodes are in this process, without a server.
  bool local = false;
  /// Number of agents to start on this machine, and whether they are killed and
  /// stopped at random.
  std::size_t agents = 0;
  bool chaos = false;
};

constexpr std::size_t most_slots = 1024;

/// Options of `farm agent`.
struct agent_options {
  way to;
  /// Number of slots; 0: one for each core.
  std::size_t slots = 0;
  std::vector<std::string> labels;
};

/// Options of `farm submit`.
struct submit_options {
  way to;
  tree_options tree;
  std::chrono::nanoseconds lease = std::chrono::seconds{5};
  /// Whether the files go to the durable queue of the pool.
  bool durable = false;
};

using command = std::variant<front_options, agent_options, submit_options>;

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

/// Checks an address of a server, such as "tls://10.0.0.1:4222" or
/// "nats://[::1]:4222".
///
/// Errors: std::invalid_argument.
void check_server(const std::string& address, const std::string& scheme);

/// Returns the address of the pool for libpool.
libpool::pool_address pool_at(const way& way);

} // namespace farm
