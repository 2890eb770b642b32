#pragma once

#include "libpool/core/instant.hpp"

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
/// Cost: record O(1), percentile O(buckets); 2.5 KiB.
class histogram {
public:
  void record(duration time) noexcept;

  /// Adds the counts of `other`.
  void add(const histogram& other) noexcept;

  std::uint64_t count() const noexcept {
    return count_;
  }

  /// The smallest duration that at least `percent` of the recorded ones do not
  /// exceed; zero without any.
  /// @pre 0 <= percent <= 100
  duration percentile(double percent) const noexcept;

  /// The buckets that have counted something, and how much each.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> counts() const;

  /// The histogram that has counted `count` durations and has these `counts`;
  /// counts beyond the last bucket are left out.
  static histogram
  from(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& counts,
       std::uint64_t count) noexcept;

private:
  static constexpr unsigned fine_bits = 4;
  static constexpr unsigned most_bits = 42;
  static constexpr std::size_t buckets =
    ((most_bits - fine_bits + 1) << fine_bits) + 1;

  static std::size_t bucket_of(std::uint64_t ns) noexcept;
  static std::uint64_t top_of(std::size_t bucket) noexcept;

  std::uint64_t count_ = 0;
  std::array<std::uint32_t, buckets> counts_{};
};

} // namespace libpool
