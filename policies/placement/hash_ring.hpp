#pragma once

#include "libpool/core/worker.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libpool {

/// Ring of points, each of which belongs to a worker. The points are uniformly
/// distributed numbers. They are kept in buckets by their first bits, each
/// bucket sorted, so that a search looks at few of them.
///
/// Cost: O(1) on average to add, to remove and to find a point, as long as the
///       ring has about as many points as ever: buckets are not removed. About
///       32 bytes per point.
class hash_ring {
public:
  /// Adds the point, which belongs to the worker.
  void add(std::uint64_t point, worker& worker) {
    if (++size_ > 4 * buckets_.size())
      grow();
    auto& all = buckets_[bucket_of(point)];
    all.insert(first_from(all, point), {point, &worker});
  }

  /// Removes a point of the worker.
  /// @pre `add` was called for the point and the worker
  void remove(std::uint64_t point, worker& worker) {
    --size_;
    auto& all = buckets_[bucket_of(point)];
    all.erase(std::find(all.begin(), all.end(), entry{point, &worker}));
  }

  /// Returns the worker of the first point, from `place` on around the ring,
  /// for whose worker `suits` returns true.
  /// @pre there is such a point
  template <class F>
  worker* find_from(std::uint64_t place, F suits) const {
    auto b = bucket_of(place);
    auto i = first_from(buckets_[b], place);
    for (;; i = buckets_[b].begin()) {
      for (; i != buckets_[b].end(); ++i)
        if (suits(*i->second))
          return i->second;
      b = (b + 1) % buckets_.size();
    }
  }

private:
  using entry = std::pair<std::uint64_t, worker*>;
  using bucket = std::vector<entry>;

  std::size_t bucket_of(std::uint64_t point) const noexcept {
    return static_cast<std::size_t>(point >> shift_);
  }

  static bucket::const_iterator first_from(const bucket& in,
                                           std::uint64_t place) noexcept {
    return std::find_if(in.begin(), in.end(), [place](const entry& each) {
      return each.first >= place;
    });
  }

  /// Splits each bucket.
  void grow() {
    std::vector<bucket> all(2 * buckets_.size());
    --shift_;
    for (const auto& each : buckets_)
      for (const auto& point : each)
        all[bucket_of(point.first)].push_back(point);
    buckets_ = std::move(all);
  }

  std::vector<bucket> buckets_ = std::vector<bucket>(2);
  unsigned shift_ = 63;
  std::size_t size_ = 0;
};

} // namespace libpool
