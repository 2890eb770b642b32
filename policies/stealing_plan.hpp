#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// The workers and tasks that cost-aware stealing considers, at one time.
struct stealing_snapshot {
  /// A worker.
  struct worker {
    /// Number of the worker.
    worker_number number{0};
    /// Time since which the worker has been idle and would take a task;
    /// `never`: it has a task, or must not get one.
    instant idle_since = never;
  };

  /// A task in flight.
  struct task {
    /// Number of the task, lower for older tasks.
    std::uint64_t number = 0;
    /// Number of the worker that has the task.
    worker_number on{0};
    /// Whether the task is in the mailbox of the worker.
    bool is_sent = false;
    /// Time for which the task has run; unset: it has not begun.
    std::optional<duration> has_run;
    /// Cost that was estimated when the task was assigned.
    duration estimate{1};
    /// Number of the worker that has the data of the task; unset: none.
    std::optional<worker_number> home;
    /// Time to move the data to any worker for which `moves` has no time.
    duration move{0};
    /// Times to move the data to particular workers, by number.
    std::vector<duration> moves;
    /// Numbers of the workers that may run the task, ascending; unset: all
    /// workers.
    std::optional<std::vector<worker_number>> only;
    /// Whether the task belongs to a key; such a task is not stolen.
    bool has_key = false;
  };

  /// The workers.
  std::vector<worker> workers;
  /// The tasks in flight.
  std::vector<task> tasks;
};

/// A move of one task.
struct steal {
  /// Number of the task.
  std::uint64_t task = 0;
  /// Number of the worker that has the task.
  worker_number from{0};
  /// Number of the worker that takes the task over.
  worker_number to{0};
};

/// Whether both moves are equal.
constexpr bool operator==(const steal& x, const steal& y) noexcept {
  return x.task == y.task && x.from == y.from && x.to == y.to;
}

/// Returns the tasks that idle workers would steal now by the rule of
/// `cost_aware_stealing`, in order, until no worker would steal a task. Shows
/// or checks what stealing does: the function follows the rule literally,
/// without the data structures that make stealing fast.
///
/// Cost: O(tasks * (workers + log tasks)) for each idle worker, repeated for
///       each move; more if tasks have `moves`.
std::vector<steal> plan(stealing_snapshot snapshot);

} // namespace libpool
