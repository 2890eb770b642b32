#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/order.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace libpool {

/// Keeps tasks that would go next but cannot go for now. The order still knows
/// these tasks, but chooses others until they are free again.
///
/// A task is *held* for particular workers until one of these is offered, or it
/// is *unplaced*, since the placement has no worker for it, until a worker is
/// offered or loses a task. If several tasks are held for the same workers, one
/// task of each queue is free at a time; when it goes, the next one is freed.
///
/// Cost:    O(log tasks) to hold and to free a task, and O(workers named) for
///          the first task that waits for these workers. A worker that is
///          offered costs O(1) if no task waits, O(queues) for each restriction
///          that names it, and one look at each other restriction that names
///          many workers.
/// Threads: one at a time.
class waiting_room {
public:
  /// @pre `order` and `placement` outlive the waiting room
  waiting_room(libpool::order& order, const libpool::placement& placement)
    : order_(order), placement_(placement) {
    // nop
  }

  waiting_room(const waiting_room&) = delete;
  waiting_room& operator=(const waiting_room&) = delete;
  ~waiting_room();

  // -- holding ----------------------------------------------------------------

  /// Sets aside the task, which waits in the order: for the workers that it
  /// names; or, if it is unplaced or names no particular workers, until the
  /// placement may have a worker.
  void hold(task& task, bool is_unplaced, instant now);

  /// Removes the task, which waits, from the waiting room and from the order
  /// for good.
  void remove(task& task, instant now);

  // -- freeing ----------------------------------------------------------------

  /// The task, which was next, goes to a worker: frees tasks that waited behind
  /// it.
  void followed(const task& task, instant now) {
    if (task.where != nullptr)
      free_next(task, now);
    free_next_of_key(task, now);
  }

  /// Frees the tasks for which the worker may have room.
  void free_for(worker_number worker, instant now);

  /// Frees all tasks for which the placement had no worker.
  void free_unplaced(instant now) {
    while (!unplaced_.empty())
      free(*unplaced_.begin(), now);
  }

  /// Frees all tasks that are set aside.
  void free_all(instant now);

  /// Tasks of `where` may run on the workers `only` from now on; ascending.
  ///
  /// Cost: O(workers named) if a task is held for `where`.
  void change(restriction& where, std::vector<worker_number> only);

  // -- tasks that no worker may run any more ----------------------------------

  /// A task of the restriction was accepted.
  void accepted(const restriction& where) noexcept {
    has_strict_ = has_strict_ || !(where.loose || where.open);
  }

  /// The worker does not serve any more, or is a pool without workers: tasks
  /// may wait for it in vain.
  void departed(worker_number worker) {
    if (has_strict_)
      departed_.push_back(worker);
  }

  /// Whether workers have departed since the last call of `take_departed`.
  bool has_departed() const noexcept {
    return !departed_.empty();
  }

  /// Returns the workers that have departed since the last call.
  std::vector<worker_number> take_departed() {
    return std::exchange(departed_, {});
  }

  // -- questions --------------------------------------------------------------

  /// Returns the number of tasks that are held for particular workers.
  std::size_t held() const noexcept {
    return held_;
  }

  /// Returns the restrictions that name the worker and for which tasks are
  /// held.
  std::vector<restriction*> awaiting(worker_number worker) const;

  /// Whether a task of the same key that goes before this one is set aside.
  bool is_behind_its_key(const task& task) const {
    return !first_of_keys_.empty() && is_behind_another(task);
  }

private:
  /// Orders tasks by key, and the tasks of one key by `goes_before`.
  struct goes_before_of_key {
    using is_transparent = void;

    bool operator()(const task* x, const task* y) const noexcept {
      return x->key != y->key ? x->key < y->key : goes_before{}(*x, *y);
    }
  };

  bool is_behind_another(const task& task) const;
  void await(restriction& where);
  void await_no_more(restriction& where);
  void take_out(task& task);
  void free(task& task, instant now);
  void free_next(const task& task, instant now);
  void free_next_of_key(const task& task, instant now);
  void free_first_ones(restriction& where, instant now);

  libpool::order& order_;
  const libpool::placement& placement_;
  std::size_t held_ = 0;

  /// Restrictions that tasks are held for, by the workers that they name; and
  /// such restrictions that name many workers, or none yet, which are looked at
  /// one by one.
  std::set<std::pair<worker_number, restriction*>> awaited_;
  std::set<restriction*> awaited_by_many_;
  task_set unplaced_;
  /// Tasks that are set aside and keep the order of their keys.
  std::set<task*, goes_before_of_key> first_of_keys_;

  /// Whether a task was accepted whose restriction is not loose and not open.
  bool has_strict_ = false;
  std::vector<worker_number> departed_;
};

} // namespace libpool
