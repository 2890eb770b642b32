#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/core/pool_workers.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/waiting_room.hpp"
#include "libpool/core/worker.hpp"
#include "libpool/export.hpp"

#include <vector>

namespace libpool {

/// Result of choosing a worker for a task.
struct chosen_worker {
  /// The worker; nullptr if no worker can take the task now.
  libpool::worker* worker = nullptr;
  /// Whether the placement chose the worker, so that `placement::picked` must
  /// be called if the choice is used.
  bool is_picked = false;
  /// Whether the task waits for any suitable worker, or for earlier tasks of
  /// its key; false: for particular workers.
  bool is_unplaced = false;
};

/// Chooses the worker of a task among the workers that tasks can be assigned
/// to: the home of the task, one of the workers that its restriction names, or
/// any worker that has room for the task. Among several workers, the placement
/// (the part of the policy that chooses workers) chooses.
///
/// Cost:    that of the placement; O(workers that the restriction names) for
///          a task with a restriction.
/// Threads: one at a time.
class LIBPOOL_EXPORT worker_chooser {
public:
  /// Makes a chooser for the pool with these workers. `is_eager`: whether tasks
  /// are assigned to workers when they arrive. `aside`: tasks that were set
  /// aside, which tasks of the same key must not overtake.
  /// @pre `placement`, `workers` and `aside` outlive the chooser
  worker_chooser(bool is_eager, libpool::placement& placement,
                 pool_workers& workers, const waiting_room& aside) noexcept
    : is_eager_(is_eager),
      placement_(placement),
      workers_(workers),
      aside_(aside) {
    // nop
  }

  /// Returns the worker that gets the task: a worker that tasks can be assigned
  /// to, that has room for the task and may run it.
  chosen_worker choose(const task& task, instant now);

  /// Whether the task, which no worker can take now, waits for free seats at a
  /// worker that may run it.
  /// @pre seats (places for tasks) are counted
  bool gathers_seats(const task& task) const;

private:
  worker* home_of(const task& task);
  worker* any_for(const task& task, instant now);
  chosen_worker named_for(const task& task, instant now);
  void gather_named(const task& task);
  void sort_freed(restriction& where);

  const bool is_eager_;
  libpool::placement& placement_;
  pool_workers& workers_;
  const waiting_room& aside_;
  std::vector<worker*> candidates_; // kept for its memory
};

} // namespace libpool
