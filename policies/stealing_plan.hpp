#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// The workers and tasks of a pool at one moment, from which `plan` finds the
/// tasks to steal.
struct stealing_snapshot {
  /// State of a worker.
  struct worker {
    /// Number of the worker.
    worker_number number{0};
    /// Time at which the worker became idle; `never` if the worker has a task,
    /// or must not get a task.
    instant idle_since = never;
  };

  /// State of a task in flight.
  struct task {
    /// Number of the task, lower for older tasks.
    std::uint64_t number = 0;
    /// Number of the worker that has the task.
    worker_number on{0};
    /// Whether the task was sent to the worker. A task that was sent is not
    /// stolen.
    bool is_sent = false;
    /// Time for which the task has run; unset if the task has not begun.
    std::optional<duration> has_run;
    /// Cost of the task, as estimated at assignment.
    duration estimate{1};
    /// Number of the worker that has the data of the task; unset: none.
    std::optional<worker_number> home;
    /// Time to move the data of the task to a worker that has no entry in
    /// `moves`.
    duration move{0};
    /// Times to move the data of the task to workers, indexed by the numbers of
    /// the workers.
    std::vector<duration> moves;
    /// Numbers of the workers that may run the task, ascending; unset: all
    /// workers.
    std::optional<std::vector<worker_number>> only;
    /// Whether the task has a key. A task with a key is not stolen.
    bool has_key = false;
  };

  /// The workers.
  std::vector<worker> workers;
  /// The tasks in flight.
  std::vector<task> tasks;
};

/// Move of a task from one worker to another worker.
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

/// Returns the moves that `cost_aware_stealing` would make now, in order, until
/// no idle worker would steal a task. The function is a reference
/// implementation, for explanations and tests: it follows the rule literally,
/// without the data structures that make stealing fast.
///
/// Cost: O(tasks * (workers + log tasks)) for each idle worker, repeated for
///       each move; more if tasks have `moves`.
std::vector<steal> plan(stealing_snapshot snapshot);

} // namespace libpool
