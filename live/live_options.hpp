#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace libpool {

/// Where a live view is served, and to whom.
struct live_options {
  /// The address of this machine, in digits. Other than a loopback address only
  /// with a token: HTTP is not encrypted, so a view for other machines belongs
  /// behind a proxy that speaks TLS.
  std::string address = "127.0.0.1";
  /// 0: one that is free, see `live_view::port`.
  std::uint16_t port = 0;
  /// Whoever looks has to know it, unless it is empty: as a bearer token, or as
  /// the password that browsers ask for, with any name.
  std::string token;
  /// Whoever drains or resizes pools has to know it, as a bearer token. Empty:
  /// nobody may.
  std::string control_token;
  /// How many may have the page open at a time.
  std::size_t most_viewers = 99;
  /// How far back the tasks of the pools are recorded; at most 10 minutes, and
  /// 65'536 runs of each pool.
  duration recorded = std::chrono::seconds{30};
};

} // namespace libpool
