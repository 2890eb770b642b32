#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/order.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/core/pool_workers.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/task_line.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace libpool {

/// Keeps waiting tasks that no worker can take now. The order (the part of the
/// policy that chooses the next task) still knows these tasks, but does not
/// choose them until they are returned to it.
///
/// A task that is set aside is either held or unplaced. A *held* task waits
/// until one of the particular workers that may run it can be chosen. An
/// *unplaced* task waits until a worker can be chosen or loses a task, because
/// the placement (the part of the policy that chooses workers) has no worker
/// for it. If several tasks wait for the same workers, the order has only the
/// first task of each of its queues. When this task goes, the order gets the
/// next task of the queue.
///
/// Cost:    O(log tasks) to set a task aside and to return a task, and
///          O(workers that a restriction names) for the first task that is held
///          for these workers. A worker that can be chosen again costs O(1) if
///          no task waits, O(queues) for each restriction that names the
///          worker, and O(1) for each other restriction that names many
///          workers.
/// Threads: one at a time.
class LIBPOOL_EXPORT waiting_room {
public:
  /// Makes a waiting room without tasks. `order`: part of the policy that
  /// chooses the next task. `placement`: part that chooses the workers.
  /// @pre `order`, `placement` and `workers` outlive the waiting room
  waiting_room(libpool::order& order, const libpool::placement& placement,
               const pool_workers& workers)
    : order_(order), placement_(placement), workers_(workers) {
    // nop
  }

  waiting_room(const waiting_room&) = delete;
  waiting_room& operator=(const waiting_room&) = delete;
  ~waiting_room();

  // -- setting tasks aside ----------------------------------------------------

  /// Sets the waiting task aside, so that the order does not choose it: either
  /// until one of the particular workers that may run the task can be chosen
  /// or, if `is_unplaced` is true or any worker may run the task, until any
  /// worker can be chosen or loses a task. In the first case, none of the
  /// particular workers can be chosen now.
  void hold(task& task, bool is_unplaced, instant now);

  /// Removes a task that does not wait any more: from the order of waiting
  /// tasks, and from the tasks that were set aside if it is one of them.
  void remove(task& task, instant now);

  // -- freeing ----------------------------------------------------------------

  /// Returns tasks that were set aside behind `task` to the order of waiting
  /// tasks: the next task for the same workers, and the next task with the same
  /// key. Called when `task` goes to a worker.
  void followed(const task& task, instant now) {
    if (task.notes().where != nullptr)
      free_next(task, now);
    free_next_of_key(task, now);
  }

  /// Returns the tasks that were set aside, and for which the worker may have
  /// room, to the order of waiting tasks. Called when the worker can be chosen.
  void free_for(worker_number worker, instant now);

  /// Returns the tasks that were set aside until any worker suits them to the
  /// order of waiting tasks.
  void free_unplaced(instant now) {
    while (!unplaced_.empty())
      free(unplaced_.front(), now);
  }

  /// Returns all tasks that were set aside, because no worker could run them,
  /// to the order of waiting tasks.
  void free_all(instant now);

  /// Replaces the set of workers that may run the tasks of `where` by `only`,
  /// sorted in ascending order.
  ///
  /// Cost: O(workers in the sets) if a task was set aside for these workers.
  void change(restriction& where, std::vector<worker_number> only);

  // -- tasks that no worker may run any more ----------------------------------

  /// Records that the order gets a task with the restriction `where`, the set
  /// of the workers that may run the task.
  void accepted(const restriction& where) {
    has_strict_ = has_strict_ || !(where.loose || where.open);
    if (workers_.are_lost(where))
      departed(where.only.front());
  }

  /// Records that the worker does not serve any more, or is a pool without
  /// workers. Tasks that only such workers may run must then be failed.
  void departed(worker_number worker) {
    if (has_strict_)
      departed_.push_back(worker);
  }

  /// Whether `departed` was called for a worker since the last call of
  /// `take_lost`.
  bool has_departed() const noexcept {
    return !departed_.empty();
  }

  /// Returns the restrictions for whose workers tasks were set aside, and whose
  /// workers have all departed, the last one since the last call of this
  /// function.
  std::vector<restriction*> take_lost();

  // -- questions --------------------------------------------------------------

  /// Returns the number of tasks that were set aside until one of particular
  /// workers can run them.
  std::size_t held() const noexcept {
    return held_;
  }

  /// Whether a task that was set aside has the same key as `task`, and must go
  /// before it.
  bool is_behind_its_key(const task& task) const {
    return !first_of_keys_.empty() && is_behind_another(task);
  }

private:
  /// Compares tasks by key, and tasks with equal keys by rank and order of
  /// acceptance.
  struct goes_before_of_key {
    using is_transparent = void;

    bool operator()(const task* x, const task* y) const noexcept {
      const auto& left = x->notes().key;
      const auto& right = y->notes().key;
      return left != right ? left < right : goes_before{}(*x, *y);
    }
  };

  std::vector<restriction*> awaiting(worker_number worker) const;
  bool is_behind_another(const task& task) const;
  void await(restriction& where);
  void await_no_more(restriction& where);
  static void note_freed(restriction& where, worker_number worker);
  void take_out(task& task);
  void free(task& task, instant now);
  void free_next(const task& task, instant now);
  void free_next_of_key(const task& task, instant now);
  void free_first_ones(restriction& where, instant now);

  libpool::order& order_;
  const libpool::placement& placement_;
  const pool_workers& workers_;
  std::size_t held_ = 0;

  /// Restrictions (sets of workers that may run certain tasks) with tasks that
  /// were set aside, if they have few workers; one entry for each of these
  /// workers.
  std::set<std::pair<worker_number, restriction*>> awaited_;
  /// Restrictions (sets of workers that may run certain tasks) with tasks that
  /// were set aside, if they have many workers, or none yet. They are checked
  /// one by one.
  std::set<restriction*> awaited_by_many_;
  task_line unplaced_;
  /// Tasks that were set aside and must go after all earlier tasks with the
  /// same key.
  std::set<task*, goes_before_of_key> first_of_keys_;

  /// Whether a task was accepted that only particular workers may run, and
  /// these workers cannot change.
  bool has_strict_ = false;
  std::vector<worker_number> departed_;
};

} // namespace libpool
