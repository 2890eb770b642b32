#pragma once

#include "libpool/core/instant.hpp"

#include <boost/circular_buffer.hpp>

#include <cassert>
#include <cstddef>

namespace libpool {

/// Mean of the last `history` durations that were added.
///
/// Cost:    O(1) per sample; 8 bytes for each sample that is kept, allocated
///          once.
/// Threads: one at a time.
class moving_mean {
public:
  /// Makes a mean without samples.
  /// @pre history > 0
  explicit moving_mean(std::size_t history) : last_(history) {
    assert(history > 0);
  }

  /// Adds a sample, in place of the oldest sample if `history` samples are
  /// kept.
  void add(duration sample) noexcept {
    if (last_.full())
      sum_ -= last_.front();
    last_.push_back(sample); // replaces the oldest sample if full
    sum_ += sample;
  }

  /// Whether no sample was added.
  bool empty() const noexcept {
    return last_.empty();
  }

  /// Returns the mean, rounded towards zero.
  /// @pre !empty()
  duration value() const noexcept {
    return sum_ / static_cast<duration::rep>(last_.size());
  }

private:
  boost::circular_buffer<duration> last_;
  duration sum_{0};
};

} // namespace libpool
