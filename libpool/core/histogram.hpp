#pragma once

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libpool {

/// Counts durations in buckets whose width grows with the durations in them, so
/// that any percentile can be told from bounded memory: the idea of
/// HdrHistogram (Gil Tene), with 16 buckets to each doubling.
///
/// A percentile is at most 1/16 above the recorded duration, and never below
/// it. Durations beyond 2^42 ns (73 minutes) count as that, negative ones as 0.
///
/// Cost: record O(1), the rest O(buckets); 4.9 KiB.
class histogram {
public:
  void record(duration time) noexcept {
    auto ns =
      static_cast<std::uint64_t>(std::max(time.count(), duration::rep{0}));
    ++counts_[bucket_of(ns)];
    ++count_;
  }

  /// Adds the counts of `other`.
  void add(const histogram& other) noexcept;

  /// What was recorded since `earlier`, a former state of this one.
  histogram since(const histogram& earlier) const noexcept;

  std::uint64_t count() const noexcept {
    return count_;
  }

  /// The smallest duration that at least `percent` of the recorded ones do not
  /// exceed; zero without any.
  /// @pre 0 <= percent <= 100
  duration percentile(double percent) const noexcept;

  /// How many of the recorded durations are below 2^`exponent` nanoseconds;
  /// exact, as each power of two is a bound between buckets.
  std::uint64_t count_below(unsigned exponent) const noexcept;

  /// The buckets that have counted something, and how much each.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> counts() const;

  /// The histogram that has counted `count` durations and has these `counts`;
  /// counts beyond the last bucket are left out.
  static histogram
  from(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& counts,
       std::uint64_t count) noexcept;

private:
  static constexpr unsigned fine_bits = 4;
  static constexpr unsigned most_bits = 42;
  static constexpr std::size_t buckets =
    ((most_bits - fine_bits + 1) << fine_bits) + 1;

  /// Below 2^fine_bits each value has a bucket; above, each doubling has as
  /// many.
  static std::size_t bucket_of(std::uint64_t ns) noexcept {
    if (ns >> most_bits != 0)
      return buckets - 1;
    if (ns >> fine_bits == 0)
      return ns;
    auto highest_bit = 63U - static_cast<unsigned>(__builtin_clzll(ns));
    auto shift = highest_bit - fine_bits;
    return (std::size_t{shift} << fine_bits) + (ns >> shift);
  }

  static std::uint64_t top_of(std::size_t bucket) noexcept;

  std::uint64_t count_ = 0;
  std::array<std::uint64_t, buckets> counts_{};
};

} // namespace libpool
