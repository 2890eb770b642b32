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
  /// Token that a client must send to read the state of pools; empty: no check.
  /// The client sends the token as a bearer token, or as a password with any
  /// user name, for which browsers prompt. A client that sends `control_token`
  /// as a bearer token may read, too.
  std::string token;
  /// Token that a client must send as a bearer token to change pools: to pause,
  /// resume, resize, drain or cancel; empty: changing pools is disabled.
  std::string control_token;
  /// Maximum number of viewers that have the page open at the same time;
  /// between 1 and 10'000.
  std::size_t most_viewers = 99;
  /// Time for which the runs of tasks are kept for pictures and traces; above
  /// 0, at most 10 minutes. At most the last 65'536 runs of each pool are kept.
  duration recorded = std::chrono::seconds{30};
};

} // namespace libpool
