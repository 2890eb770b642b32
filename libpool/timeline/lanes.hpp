/// The runs of each worker of a timeline, in rows without overlaps.

#pragma once

#include "libpool/timeline/timeline.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace libpool::detail {

/// A task that was started, and its row in the lane of its worker.
struct run {
  const timeline::record* record;
  std::uint32_t row;
};

using runs = std::vector<run>;

/// A worker and its runs, sorted by row, then by start.
struct lane {
  worker_number worker;
  std::string name;
  std::uint32_t rows;
  runs::const_iterator begin;
  runs::const_iterator end;
};

/// Returns the runs of all started tasks, sorted by worker, then by start.
runs started_runs(const timeline& of);

/// Returns the lanes of all workers, sorted by the numbers of the workers.
/// Assigns rows to the runs, and sorts the runs of each worker by row.
/// @param all the result of `started_runs`
std::vector<lane> lanes_of(const timeline& timeline, runs& all);

/// Returns the end of a task, at most the end of the timeline.
inline instant end_of(const timeline::record& of, const timeline& in) noexcept {
  return std::min(of.finished, in.last());
}

inline instant end_of_waiting(const timeline::record& of,
                              const timeline& in) noexcept {
  return std::min({of.started, of.finished, in.last()});
}

} // namespace libpool::detail
