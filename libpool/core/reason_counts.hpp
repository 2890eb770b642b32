#pragma once

#include "libpool/core/errc.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace libpool {

/// Number of tasks that were refused, failed or cancelled, for each reason.
class reason_counts {
public:
  /// Adds one occurrence of the reason `why`.
  void note(errc why) noexcept {
    ++counts_[static_cast<std::size_t>(why)];
  }

  /// Adds `count` occurrences of the reason `why`.
  void add(errc why, std::uint64_t count) noexcept {
    counts_[static_cast<std::size_t>(why)] += count;
  }

  /// Returns the number of occurrences of the reason `why`.
  std::uint64_t operator[](errc why) const noexcept {
    return counts_[static_cast<std::size_t>(why)];
  }

  /// Returns the number of occurrences of all reasons.
  std::uint64_t sum() const noexcept {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }

  /// Calls `f` with each reason that has occurred, and with its number of
  /// occurrences.
  template <class F>
  void for_each(F f) const {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (counts_[i] > 0)
        f(static_cast<errc>(i), counts_[i]);
  }

  /// Returns the occurrences since `earlier`, a former state of these counts.
  reason_counts since(const reason_counts& earlier) const noexcept {
    auto result = *this;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      result.counts_[i] -= std::min(earlier.counts_[i], counts_[i]);
    return result;
  }

private:
  std::array<std::uint64_t, errc_count> counts_{}; // by value of `errc`
};

} // namespace libpool
