#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/splitmix64.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// How long to wait before something is tried again: twice as long after each
/// failure, from 100 ms to 5 s, of which up to a half is left out at random, so
/// that many who have lost the same actor do not come back at the same moment.
///
/// Source: "Exponential Backoff And Jitter", equal jitter (AWS, 2015).
/// Cost:   O(1).
class backoff {
public:
  static constexpr duration shortest = std::chrono::milliseconds{100};
  static constexpr duration longest = std::chrono::seconds{5};

  explicit backoff(std::uint64_t seed) noexcept : random_(seed) {
    // nop
  }

  /// A try has failed. Returns how long to wait before the next one.
  duration failed() noexcept {
    auto pause = next_;
    next_ = std::min(2 * next_, longest);
    auto most = static_cast<std::size_t>((pause / 2).count());
    return pause - duration{random_.below(most)};
  }

  void succeeded() noexcept {
    next_ = shortest;
  }

private:
  duration next_ = shortest;
  splitmix64 random_;
};

} // namespace libpool
