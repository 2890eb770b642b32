#pragma once

#include <chrono>

namespace libpool {

/// Time span in nanoseconds.
using duration = std::chrono::nanoseconds;

/// Point in time of the steady clock, in nanoseconds. Core and policies read no
/// clock: every point in time is an argument.
using instant = std::chrono::time_point<std::chrono::steady_clock, duration>;

/// Point in time that never comes, later than every other one.
constexpr instant never = instant::max();

/// Returns the sum of `now` and `after`; `never` if it is out of range.
constexpr instant later(instant now, duration after) noexcept {
  return after > never - now ? never : now + after;
}

} // namespace libpool
