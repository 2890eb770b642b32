#pragma once

#include "times.hpp"

#include <algorithm>
#include <cstddef>

namespace poolsim {

/// Mean and maximum over time of a number that changes.
class number_meter {
public:
  /// Records that the number was `value` for the time `lasted`.
  void add(std::size_t value, duration lasted) noexcept {
    if (lasted <= duration{0})
      return;
    sum_ += static_cast<wide>(value) * static_cast<wide>(lasted.count());
    time_ += lasted;
    most_ = std::max(most_, value);
  }

  /// Returns the mean over the time `all`, in which the number was 0 except for
  /// the recorded time; 0 if `all` is zero.
  double mean(duration all) const noexcept {
    return all == duration{0}
             ? 0
             : static_cast<double>(sum_) / static_cast<double>(all.count());
  }

  /// Returns the recorded time.
  duration time() const noexcept {
    return time_;
  }

  std::size_t most() const noexcept {
    return most_;
  }

private:
  __extension__ using wide = unsigned __int128;

  wide sum_ = 0;
  duration time_{0};
  std::size_t most_ = 0;
};

} // namespace poolsim
