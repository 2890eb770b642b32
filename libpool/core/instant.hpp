#pragma once

#include <chrono>

namespace libpool {

/// A time span, in nanoseconds.
using duration = std::chrono::nanoseconds;

/// A moment. Core and policies never read a clock: moments are arguments.
using instant = std::chrono::time_point<std::chrono::steady_clock, duration>;

/// Later than every other moment.
constexpr instant never = instant::max();

/// Returns the moment `after` later than `now`; `never` if it is out of range.
constexpr instant later(instant now, duration after) noexcept {
  return after > never - now ? never : now + after;
}

} // namespace libpool
