/// Arranges the runs of each worker of a timeline in rows, so that the runs in
/// a row do not overlap.

#pragma once

#include "libpool/observability/timeline/timeline.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace libpool::detail {

/// Run of a task: the task, and the row in which the run is drawn among the
/// rows of its worker.
struct run {
  const timeline::record* record;
  std::uint32_t row;
};

using runs = std::vector<run>;

/// Lane of a worker in a picture: the runs of the worker, sorted by row, then
/// by start. Runs that overlap are in different rows.
struct lane {
  worker_number worker;
  std::string name;
  std::uint32_t rows;
  runs::const_iterator begin;
  runs::const_iterator end;
};

/// Returns one run for each task of the timeline that was started, sorted by
/// worker, then by start.
runs started_runs(const timeline& timeline);

/// Returns one lane for each worker, sorted by the numbers of the workers.
/// Assigns a row to each run in `all` so that the runs in a row do not overlap,
/// and sorts the runs of each worker by row.
/// @param all the result of `started_runs`
std::vector<lane> lanes_of(const timeline& timeline, runs& all);

/// Returns the time at which the task `record` was finished, or the last moment
/// of the timeline `in` if that is earlier.
inline instant end_of(const timeline::record& record,
                      const timeline& in) noexcept {
  return std::min(record.finished, in.last());
}

inline instant end_of_waiting(const timeline::record& record,
                              const timeline& in) noexcept {
  return std::min({record.started, record.finished, in.last()});
}

} // namespace libpool::detail
