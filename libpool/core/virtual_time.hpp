#pragma once

#include "libpool/export.hpp"

#include <cstdint>

namespace libpool {

/// Point in virtual time, the clock by which fair queuing measures service. The
/// clock advances by 1 when one seat (place for a task) is used for one
/// nanosecond. The clock wraps around. This is harmless: the difference of two
/// points less than 2^63 apart shows which one is later.
class LIBPOOL_EXPORT virtual_time {
public:
  constexpr virtual_time() noexcept = default;

  /// Makes the point in virtual time at which the clock shows `ticks`.
  constexpr explicit virtual_time(std::uint64_t ticks) noexcept
    : ticks_(ticks) {
    // nop
  }

  friend constexpr std::int64_t operator-(virtual_time x,
                                          virtual_time y) noexcept {
    return static_cast<std::int64_t>(x.ticks_ - y.ticks_);
  }

  friend constexpr virtual_time operator+(virtual_time x,
                                          std::int64_t after) noexcept {
    return virtual_time{x.ticks_ + static_cast<std::uint64_t>(after)};
  }

  friend constexpr bool operator<(virtual_time x, virtual_time y) noexcept {
    return x - y < 0;
  }

  friend constexpr bool operator==(virtual_time x, virtual_time y) noexcept {
    return x.ticks_ == y.ticks_;
  }

  friend constexpr bool operator!=(virtual_time x, virtual_time y) noexcept {
    return !(x == y);
  }

private:
  std::uint64_t ticks_ = 0;
};

/// Returns the later one of two points in virtual time.
constexpr virtual_time later(virtual_time x, virtual_time y) noexcept {
  return x < y ? y : x;
}

} // namespace libpool
