#pragma once

#include <cstdint>

namespace libpool {

/// A moment on a virtual clock, in seat-nanoseconds: the clock advances by one
/// when one seat is used for a nanosecond. The clock wraps around. This is
/// harmless: the difference of two moments less than 2^63 apart tells which of
/// them is later.
class virtual_time {
public:
  constexpr virtual_time() noexcept = default;

  /// The moment at which the clock has that number of ticks.
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

/// Returns the later of two moments.
constexpr virtual_time later(virtual_time x, virtual_time y) noexcept {
  return x < y ? y : x;
}

} // namespace libpool
