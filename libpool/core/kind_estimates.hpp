#pragma once

#include "libpool/core/ewma.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/export.hpp"

#include <cstdint>
#include <unordered_map>

namespace libpool {

/// Estimated service times of tasks by kind. Tasks of one kind take about the
/// same time. The estimate for a kind is a moving average over recent tasks of
/// this kind on all workers.
///
/// Load: up to 65 536 kinds have their own estimates; the estimate for any
///       further kind is the mean of these estimates.
/// Cost: O(1).
class LIBPOOL_EXPORT kind_estimates {
public:
  /// Makes estimates before any task has ended; until then, each estimate is
  /// `initial`. `alpha` is the weight of the most recent task in the moving
  /// average of its kind.
  /// @pre 0 < alpha <= 1
  kind_estimates(double alpha, duration initial) noexcept
    : alpha_(alpha), initial_(initial) {
    // nop
  }

  /// Returns the estimated service time of tasks of the kind. Before a task of
  /// this kind has ended, the result is the mean of the estimates for the other
  /// kinds. Before any task has ended, the result is the initial estimate.
  duration of_kind(std::uint64_t kind) const noexcept;

  /// Returns the estimated service time of the task: the estimate that the task
  /// itself has, otherwise the estimate for its kind.
  duration of(const task& task) const noexcept {
    const auto& own = task.notes().estimate;
    return own ? *own : of_kind(task.kind());
  }

  /// Adds the service time `took` of an ended task to the estimate for its
  /// kind.
  void add(std::uint64_t kind, duration took) noexcept;

  /// Adds a task that was stopped, or may have been, after the time `took`: its
  /// service time is at least that, and does not lower the estimate.
  void add_stopped(std::uint64_t kind, duration took) noexcept;

  /// Lowers the estimate for the kind until the next task of the kind has
  /// ended. If that task is as short as the lowered estimate says, the estimate
  /// stays low; otherwise it rises again, at most to its value before.
  void lower(std::uint64_t kind) noexcept;

private:
  struct record {
    ewma average;
    duration estimate{0}; // the average, unless lowered
  };

  record* record_of(std::uint64_t kind) noexcept;
  void set(record& entry, duration estimate) noexcept;

  double alpha_;
  duration initial_;
  std::unordered_map<std::uint64_t, record> kinds_;
  double sum_ = 0; // of the estimates, in ns
};

} // namespace libpool
