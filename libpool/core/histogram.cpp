#include "libpool/core/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace libpool {

/// Returns the largest value in the bucket.
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
    counts_[i] += other.counts_[i];
  count_ += other.count_;
}

histogram histogram::since(const histogram& earlier) const noexcept {
  auto result = *this;
  for (std::size_t i = 0; i < buckets; ++i)
    result.counts_[i] -= std::min(earlier.counts_[i], counts_[i]);
  result.count_ -= std::min(earlier.count_, count_);
  return result;
}

std::uint64_t histogram::count_below(unsigned exponent) const noexcept {
  auto end = exponent >= most_bits ? buckets - 1
                                   : bucket_of(std::uint64_t{1} << exponent);
  return std::accumulate(counts_.begin(), counts_.begin() + end,
                         std::uint64_t{0});
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
      top = top_of(i);
  }
  return duration{static_cast<duration::rep>(top)};
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> histogram::counts() const {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> result;
  for (std::uint32_t i = 0; i < buckets; ++i)
    if (counts_[i] > 0)
      result.emplace_back(i, counts_[i]);
  return result;
}

histogram histogram::from(
  const std::vector<std::pair<std::uint32_t, std::uint64_t>>& counts,
  std::uint64_t count) noexcept {
  histogram result;
  for (auto& [bucket, n] : counts)
    if (bucket < buckets)
      result.counts_[bucket] = n;
  result.count_ = count;
  return result;
}

} // namespace libpool
