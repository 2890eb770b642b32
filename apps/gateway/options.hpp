#pragma once

#include "live_page/live_page.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace gateway {

using std::chrono::milliseconds;

/// Longest deadline of a request.
constexpr milliseconds longest_deadline{60'000};

struct options {
  /// Address and port for clients; 0: any free port.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  /// Port for /metrics and /ledger at 127.0.0.1; 0: any free port.
  std::uint16_t admin_port = 0;
  /// HOST:PORT of the upstream.
  std::string upstream;
  /// Path of the tenants file.
  std::string tenants;
  /// Number of workers, one thread each.
  std::size_t workers = 16;
  /// Maximum number of waiting requests of all tenants, and of each tenant.
  std::size_t capacity = 1000;
  std::size_t tenant_capacity = 100;
  /// Deadline of requests without a header X-Deadline-Ms.
  milliseconds deadline{5'000};
  /// Waiting time above which requests of a tenant are dropped while the tenant
  /// sends too many, see `libpool::shed`; unset: none is dropped.
  std::optional<milliseconds> shed;
  /// Maximum time of one call to the upstream.
  milliseconds upstream_timeout{2'000};
  /// Number of retries, and longest time before the first one.
  unsigned retries = 3;
  milliseconds backoff{50};
  /// Whether each request is a line on standard output.
  bool log = false;
  live_page::wanted live;
};

/// Reads the command line. If the program is to end, prints the help, or the
/// error and the usage, and returns the exit code.
std::variant<options, int> parse(int argc, const char* const* argv);

} // namespace gateway
