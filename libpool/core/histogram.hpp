#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libpool {

/// Histogram of durations, from which any percentile can be computed in bounded
/// memory. The width of buckets grows with the durations, with 16 buckets for
/// each power of two, as in HdrHistogram (Gil Tene).
///
/// A percentile is at least the exact value, and at most 1/16 above it.
/// Durations above 2^42 ns (73 minutes) count as 2^42 ns, negative durations as
/// 0.
///
/// Cost: O(1) to record, otherwise O(buckets); 4.9 KiB.
class LIBPOOL_EXPORT histogram {
public:
  /// Adds a duration.
  void record(duration time) noexcept {
    auto ns =
      static_cast<std::uint64_t>(std::max(time.count(), duration::rep{0}));
    ++counts_[bucket_of(ns)];
    ++count_;
  }

  /// Adds the counts of `other`, as if its durations were recorded here.
  void add(const histogram& other) noexcept;

  /// Returns the durations that were recorded since `earlier`, a former state
  /// of this histogram.
  histogram since(const histogram& earlier) const noexcept;

  /// Returns the number of recorded durations.
  std::uint64_t count() const noexcept {
    return count_;
  }

  /// Returns the smallest duration that at least `percent` of the recorded
  /// durations do not exceed; zero if nothing was recorded.
  /// @pre 0 <= percent <= 100
  duration percentile(double percent) const noexcept;

  /// Returns the number of recorded durations below 2^`exponent` nanoseconds.
  /// The number is exact, because each power of two is a bound between buckets.
  /// An exponent above 42 counts as 42.
  std::uint64_t count_below(unsigned exponent) const noexcept;

  /// Returns the index and the count of each bucket that is not empty.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> counts() const;

  /// Returns a histogram of `count` durations, whose buckets have the given
  /// indexes and counts. Indexes beyond the last bucket are ignored.
  static histogram
  from(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& counts,
       std::uint64_t count) noexcept;

private:
  static constexpr unsigned fine_bits = 4;
  static constexpr unsigned most_bits = 42;
  static constexpr std::size_t buckets =
    ((most_bits - fine_bits + 1) << fine_bits) + 1;

  /// Returns the index of the bucket of a duration of `ns` nanoseconds. Below
  /// 2^fine_bits, each value has its own bucket. Above, each power of two has
  /// 2^fine_bits buckets.
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
