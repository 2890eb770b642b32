/// The runs of each worker of a timeline, in rows without overlaps.

#pragma once

#include "libpool/timeline/timeline.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace libpool::detail {

/// A task that was started, and in which row of its worker's lane it is.
struct run {
  const timeline::record* record;
  std::uint32_t row;
};

using runs = std::vector<run>;

/// A worker and its runs: row by row, and by time within each.
struct lane {
  worker_number worker;
  std::string name;
  std::uint32_t rows;
  runs::const_iterator begin;
  runs::const_iterator end;
};

/// By worker, then by time.
runs started_runs(const timeline& of);

/// All lanes, in the order of the workers' numbers.
/// @param all the result of `started_runs`
std::vector<lane> lanes_of(const timeline& timeline, runs& all);

/// When it ended as far as the timeline goes.
inline instant end_of(const timeline::record& of, const timeline& in) noexcept {
  return std::min(of.finished, in.last());
}

inline instant end_of_waiting(const timeline::record& of,
                              const timeline& in) noexcept {
  return std::min({of.started, of.finished, in.last()});
}

} // namespace libpool::detail
