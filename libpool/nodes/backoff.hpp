#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/splitmix64.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Pause before a failed attempt is repeated. The pause doubles with each
/// failure, from 100 ms to 5 s. Up to half of it is left out at random, so that
/// many nodes that have lost the same actor do not come back at the same
/// moment.
///
/// Source: "Exponential Backoff And Jitter", equal jitter (AWS, 2015).
/// Cost:   O(1).
class backoff {
public:
  /// First pause, at most.
  static constexpr duration shortest = std::chrono::milliseconds{100};
  /// Longest pause.
  static constexpr duration longest = std::chrono::seconds{5};

  /// Makes pauses from a seed.
  explicit backoff(std::uint64_t seed) noexcept : random_(seed) {
    // nop
  }

  /// Notes a failed attempt. Returns the pause before the next one.
  duration failed() noexcept {
    auto pause = next_;
    next_ = std::min(2 * next_, longest);
    auto most = static_cast<std::size_t>((pause / 2).count());
    return pause - duration{random_.below(most)};
  }

  /// Notes a successful attempt: the next pause is short again.
  void succeeded() noexcept {
    next_ = shortest;
  }

private:
  duration next_ = shortest;
  splitmix64 random_;
};

} // namespace libpool
