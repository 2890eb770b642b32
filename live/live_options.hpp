#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace libpool {

/// Where a live view is served, and who has access.
struct live_options {
  /// Numeric IP address of this machine at which the view is served. An address
  /// other than a loopback address requires a token. HTTP is not encrypted, so
  /// a view for other machines belongs behind a proxy that speaks TLS.
  std::string address = "127.0.0.1";
  /// Port number; 0: any free port, see `live_view::port`.
  std::uint16_t port = 0;
  /// Token that is required for reading, as a bearer token, or as the password
  /// that browsers ask for, with any user name; empty: no check. The control
  /// token is accepted as well, as a bearer token.
  std::string token;
  /// Token that is required for draining and resizing pools, as a bearer token;
  /// empty: both are disabled.
  std::string control_token;
  /// Maximum number of viewers that have the page open at a time; between 1 and
  /// 10'000.
  std::size_t most_viewers = 99;
  /// Time for which the runs of tasks are kept; above 0, at most 10 minutes. At
  /// most 65'536 runs of each pool are kept.
  duration recorded = std::chrono::seconds{30};
};

} // namespace libpool
