#include "libpool/core/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace libpool {

namespace {

std::uint32_t saturated_sum(std::uint64_t x, std::uint64_t y) noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(x + y, most));
}

} // namespace

/// The largest value in the bucket.
std::uint64_t histogram::top_of(std::size_t bucket) noexcept {
  if (bucket == buckets - 1)
    return std::uint64_t{1} << most_bits;
  if (bucket >> fine_bits == 0)
    return bucket;
  auto shift = (bucket >> fine_bits) - 1;
  auto first = bucket - (shift << fine_bits);
  return ((first + 1) << shift) - 1;
}

void histogram::add(const histogram& other) noexcept {
  for (std::size_t i = 0; i < buckets; ++i)
    counts_[i] = saturated_sum(counts_[i], other.counts_[i]);
  count_ += other.count_;
}

duration histogram::percentile(double percent) const noexcept {
  auto share = percent * static_cast<double>(count_) / 100;
  auto wanted = std::max(std::uint64_t{1},
                         static_cast<std::uint64_t>(std::ceil(share)));
  std::uint64_t seen = 0;
  std::uint64_t top = 0;
  for (std::size_t i = 0; i < buckets && seen < wanted; ++i) {
    seen += counts_[i];
    if (counts_[i] > 0)
      top = top_of(i); // the last one, where a full bucket lost count
  }
  return duration{static_cast<duration::rep>(top)};
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> histogram::counts() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
  for (std::uint32_t i = 0; i < buckets; ++i)
    if (counts_[i] > 0)
      result.emplace_back(i, counts_[i]);
  return result;
}

histogram histogram::from(
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& counts,
  std::uint64_t count) noexcept {
  histogram result;
  for (auto& [bucket, n] : counts)
    if (bucket < buckets)
      result.counts_[bucket] = n;
  result.count_ = count;
  return result;
}

} // namespace libpool
