#pragma once

#include "libpool/core/figure.hpp"
#include "libpool/core/reason_counts.hpp"

#include <cstdint>

namespace libpool {

/// Counts that the dispatcher of a pool keeps, and that the stats of the pool
/// contain as they are.
struct dispatcher_counts {
  /// Numbers of refused tasks, by reason.
  reason_counts refusals = {};
  /// Numbers of failed and cancelled tasks, by reason.
  reason_counts errors = {};
  /// Number of retries of tasks that had crashed their workers, were lost with
  /// their nodes, or were answered with an error.
  std::uint64_t retries = 0;
  /// Number of retries after errors that the retry budget has refused. The
  /// tasks were settled with their errors.
  std::uint64_t retries_refused = 0;
  /// Number of tasks that have joined the run of another task, see
  /// `joint_runs`.
  std::uint64_t joined = 0;
  /// Number of tasks whose home, the worker or node that has the data of the
  /// message, was not in the pool. Counted only with eager assignment, which
  /// chooses a worker when a message arrives.
  std::uint64_t lost_homes = 0;
};

/// The figures that the dispatcher counts.
template <>
struct description<dispatcher_counts> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f(
      "libpool::dispatcher_counts",
      counter("refusals", &dispatcher_counts::refusals),
      counter("retries", &dispatcher_counts::retries, "task_retries_total",
              "Number of times that tasks were tried again after a crash, the "
              "loss of a node or an error."),
      counter("retries_refused", &dispatcher_counts::retries_refused,
              "task_retries_refused_total",
              "Retries after errors that the retry budget has refused."),
      counter("joined", &dispatcher_counts::joined, "tasks_joined_total",
              "Tasks that share the run of another task: in a batch, or "
              "because both ask for the same result."),
      counter("lost_homes", &dispatcher_counts::lost_homes, "homes_lost_total",
              "Tasks whose home, the worker that has the data of the task, "
              "was not in the pool; counted only if workers are assigned when "
              "tasks arrive (eager assignment).")
        .not_in_json(),
      counter("errors", &dispatcher_counts::errors, "task_errors_total",
              "Failed and cancelled tasks, by reason."));
  }
};

} // namespace libpool
