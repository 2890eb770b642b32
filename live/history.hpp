#pragma once

#include "libpool/actors/distributed.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace libpool::live {

/// A pool at a moment. It has no handles of workers.
struct pool_sample {
  instant at{};
  /// With members, but not with all if there are too many.
  pool_stats stats;
  std::size_t all_members = 0;
  std::vector<node_stats> nodes;
};

/// How long the worker had worked until then, the running task included.
duration worked(const member_stats& member, instant until) noexcept;

/// What is kept of a sample, to tell what has changed since.
struct past_sample {
  instant at{};
  pool_stats stats; // without members
  /// How long each worker had worked, by its number.
  std::vector<std::pair<std::uint64_t, duration>> worked;

  /// Zero if it was not there.
  duration worked_by(std::uint64_t number) const noexcept;

  /// Zero if it was not there.
  duration seat_time_of(const std::string& flow) const noexcept;
};

/// The samples of a pool of the last ten seconds, or as far as somebody has
/// looked; and the last one before.
class history {
public:
  void add(const pool_sample& sample);

  /// The sample that the last ten seconds begin with, as well as is known;
  /// nullptr if there was none.
  const past_sample* beginning(instant now) const noexcept;

private:
  std::deque<past_sample> samples_;
};

} // namespace libpool::live
