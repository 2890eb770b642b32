#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace test {

/// State of the workers and tasks of a pool at one moment. From this state, the
/// function `plan` computes which tasks idle workers take over from other
/// workers.
struct stealing_snapshot {
  /// State of one worker at the moment of the snapshot.
  struct worker {
    /// Number of the worker.
    libpool::worker_number number{0};
    /// Time at which the worker became idle; `never` if the worker has a task,
    /// or cannot get a task now.
    libpool::instant idle_since = libpool::never;
  };

  /// State of one task in flight at the moment of the snapshot.
  struct task {
    /// Number of the task, lower for older tasks.
    std::uint64_t number = 0;
    /// Number of the worker that has the task.
    libpool::worker_number on{0};
    /// Whether the task is in the mailbox of its worker already. Such a task is
    /// not taken over by another worker.
    bool is_sent = false;
    /// Time for which the task has run; unset if the task has not begun.
    std::optional<libpool::duration> has_run;
    /// Service time of the task, as estimated when the task was assigned.
    libpool::duration estimate{1};
    /// Number of the worker that has the data of the task; unset: none.
    std::optional<libpool::worker_number> home;
    /// Time to move the data of the task to a worker that has no entry in
    /// `moves`, and does not have the data already.
    libpool::duration move{0};
    /// Times to move the data of the task to particular workers. The index is
    /// the number of the worker.
    std::vector<libpool::duration> moves;
    /// Numbers of the workers that may run the task, ascending; unset: all
    /// workers.
    std::optional<std::vector<libpool::worker_number>> only;
    /// Whether the task has a key. Tasks with the same key run on the same
    /// worker, so another worker does not take over a task with a key.
    bool has_key = false;
  };

  /// All workers of the pool.
  std::vector<worker> workers;
  /// All tasks in flight: assigned to a worker and not ended.
  std::vector<task> tasks;
};

/// A task that an idle worker takes over from another worker.
struct steal {
  /// Number of the task.
  std::uint64_t task = 0;
  /// Number of the worker that has the task before.
  libpool::worker_number from{0};
  /// Number of the worker that takes the task over.
  libpool::worker_number to{0};
};

/// Whether `x` and `y` move the same task between the same workers.
constexpr bool operator==(const steal& x, const steal& y) noexcept {
  return x.task == y.task && x.from == y.from && x.to == y.to;
}

/// Returns the tasks that idle workers would take over now by the policy
/// `cost_aware_stealing`, one after the other, until no idle worker has a
/// reason to take over a task. The function follows the rule of the policy
/// literally, without the data structures that make stealing fast.
std::vector<steal> plan(stealing_snapshot snapshot);

} // namespace test
