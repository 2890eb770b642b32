#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/core/pool_tasks.hpp"
#include "libpool/core/pool_workers.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/throttling.hpp"
#include "libpool/core/worker.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace libpool {

/// Handlers of a pool that wait for tasks of the same pool
/// (`task_notes::asker`, `task_notes::asking`). Knows the workers that can go
/// on only after other tasks (`worker::waits`), and finds tasks that no worker
/// will ever run, because the workers wait for each other.
///
/// Cost:    O(tasks at the worker) to find out whether the worker waits;
///          O(tasks) when a handler ends that tasks were asked for by;
///          O(tasks + workers) per such task to find a cycle.
/// Threads: one at a time.
class LIBPOOL_EXPORT nested_waits {
public:
  /// Makes an object for a pool without tasks. `tasks`: tasks that are not
  /// settled or whose handlers still run. `gates`: limits on tasks at workers.
  /// `placement`: part of the policy that chooses workers.
  /// @pre `tasks`, `workers`, `gates` and `placement` outlive the object
  nested_waits(const pool_tasks& tasks, const pool_workers& workers,
               const throttling& gates,
               const libpool::placement& placement) noexcept
    : tasks_(tasks), workers_(workers), gates_(gates), placement_(placement) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// Records that a worker waits for the new task, with the handler of the
  /// asker of the task or with an unknown one. Returns the worker; nullptr if
  /// the handler has ended.
  worker* began(task& task);

  /// Records that the task is settled, so that no handler waits for it any
  /// more.
  /// @pre is_asked_for(task)
  void settled(task& task) noexcept;

  /// Records that the handler of the task has ended, so that it waits for no
  /// other task.
  void ended(task& task);

  /// Records that the worker has left, so that it waits for no task.
  void left(worker& worker);

  /// Finds out whether the worker begins to wait: it has no room, and each of
  /// its tasks waits for other tasks.
  bool begins_to_wait(worker& worker) noexcept;

  /// Records that the worker does not wait, for example because a task has left
  /// it.
  void goes_on(worker& worker) noexcept {
    waiting_ -= std::exchange(worker.waits, false) ? 1U : 0U;
  }

  /// Whether a worker has ended to wait by `settled` since this function was
  /// last called.
  bool take_ended() noexcept {
    return std::exchange(have_ended_, false);
  }

  // -- questions --------------------------------------------------------------

  /// Whether no handler waits for a task of the pool.
  bool empty() const noexcept {
    return nested_ == 0;
  }

  /// Returns the first unsent task that a handler of this pool waits for, and
  /// that no worker will ever run: each worker that may run it waits for such a
  /// task itself, or so does each task that counts for a limit that the task
  /// has reached, or each task at a worker. nullptr: there is none, or the pool
  /// is paused. Pools of pools are not looked into.
  ///
  /// Cost: O(1) if no handler waits for tasks of its own pool; otherwise
  ///       O(tasks + workers) per task that a handler waits for.
  task* in_cycle() const;

  /// Whether a worker that joins could run the task, which `in_cycle` returned.
  bool could_go_to_new_worker(const task& task) const;

private:
  bool is_in_cycle(const task& task, bool all_wait) const;
  bool is_tied_to_waiting(const task& task) const;
  bool is_held_by_waiting(const task& task) const;
  bool do_all_tasks_wait() const;

  const pool_tasks& tasks_;
  const pool_workers& workers_;
  const throttling& gates_;
  const libpool::placement& placement_;
  std::uint64_t nested_ = 0; // open tasks that handlers wait for
  std::size_t waiting_ = 0;  // workers that wait
  bool have_ended_ = false;
};

} // namespace libpool
