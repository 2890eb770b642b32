#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/splitmix64.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Pauses between failed attempts. The pause doubles with each failure, from
/// 100 ms to 1 s. Each pause is shortened at random by up to a half, so that
/// many nodes that have lost the same pool do not come back at the same moment.
///
/// Source: "Exponential Backoff And Jitter", equal jitter (AWS, 2015).
/// Cost:   O(1).
class backoff {
public:
  /// Maximum of the first pause.
  static constexpr duration shortest = std::chrono::milliseconds{100};
  /// Maximum of all pauses.
  static constexpr duration longest = std::chrono::seconds{1};

  /// Makes pauses that are shortened at random, by numbers drawn from `seed`.
  explicit backoff(std::uint64_t seed) noexcept : random_(seed) {
    // nop
  }

  /// Notes a failed attempt. Returns the pause before the next attempt.
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
