#pragma once

#include "libpool/core/instant.hpp"

#include <cassert>

namespace libpool {

/// Exponentially weighted moving average of durations: a new sample has the
/// weight `alpha`, and the average before it has the weight 1 - `alpha`. The
/// first sample has the weight 1.
///
/// Cost:    O(1) per sample; 24 bytes.
/// Threads: one at a time.
class ewma {
public:
  /// Makes an average without samples.
  /// @pre 0 < alpha <= 1
  explicit ewma(double alpha) noexcept : alpha_(alpha) {
    assert(alpha > 0 && alpha <= 1);
  }

  /// Adds the duration `sample`, which changes the average by its weight.
  void add(duration sample) noexcept {
    auto value = static_cast<double>(sample.count());
    mean_ = empty_ ? value : mean_ + alpha_ * (value - mean_);
    empty_ = false;
  }

  /// Whether no sample was added.
  bool empty() const noexcept {
    return empty_;
  }

  /// Returns the average, rounded towards zero.
  /// @pre !empty()
  duration value() const noexcept {
    return duration{static_cast<duration::rep>(mean_)};
  }

private:
  double alpha_;
  double mean_ = 0;
  bool empty_ = true;
};

} // namespace libpool
