#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace libpool {

/// Options of a live view: address, access rights and limits.
struct live_options {
  /// Numeric IP address of this machine at which the view is served. An address
  /// other than a loopback address requires a token. HTTP is not encrypted, so
  /// a view for other machines belongs behind a proxy that speaks TLS.
  std::string address = "127.0.0.1";
  /// Port number; 0: any free port, see `live_view::port`.
  std::uint16_t port = 0;
  /// Token that is required for reading; empty: no check. The token is accepted
  /// as a bearer token, or as a password with any user name, which browsers
  /// prompt for. The control token, as a bearer token, is accepted as well.
  std::string token;
  /// Token that is required for draining and resizing pools, as a bearer token;
  /// empty: draining and resizing are disabled.
  std::string control_token;
  /// Maximum number of viewers that have the page open at the same time;
  /// between 1 and 10'000.
  std::size_t most_viewers = 99;
  /// Maximum age of recorded runs of tasks; above 0, at most 10 minutes. At
  /// most the last 65'536 runs of each pool are recorded.
  duration recorded = std::chrono::seconds{30};
};

} // namespace libpool
