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

/// Keeps tasks that the order has chosen and that no worker can take now. The
/// order still knows these tasks, but does not choose them until they are free
/// again.
///
/// A task that is set aside is either held or unplaced. A *held* task waits for
/// particular workers, until one of them is offered. An *unplaced* task waits
/// until a worker is offered or loses a task, because the placement has no
/// worker for it. If several tasks wait for the same workers, only the first
/// task of each queue is free. When the free task goes, the next task of its
/// queue is freed.
///
/// Cost:    O(log tasks) to set a task aside and to free a task, and O(workers
///          that a restriction names) for the first task that is held for these
///          workers. A worker that is offered costs O(1) if no task waits,
///          O(queues) for each restriction that names the worker, and O(1) for
///          each other restriction that names many workers.
/// Threads: one at a time.
class waiting_room {
public:
  /// Makes a waiting room without tasks.
  /// @pre `order` and `placement` outlive the waiting room
  waiting_room(libpool::order& order, const libpool::placement& placement)
    : order_(order), placement_(placement) {
    // nop
  }

  waiting_room(const waiting_room&) = delete;
  waiting_room& operator=(const waiting_room&) = delete;
  ~waiting_room();

  // -- setting tasks aside ----------------------------------------------------

  /// Sets aside the task, which waits in the order. A task that names
  /// particular workers is held, unless `is_unplaced` is true; any other task
  /// is unplaced.
  void hold(task& task, bool is_unplaced, instant now);

  /// Removes the waiting task from the waiting room and from the order.
  void remove(task& task, instant now);

  // -- freeing ----------------------------------------------------------------

  /// Frees the tasks that waited behind `task`. Called when `task` goes to a
  /// worker.
  void followed(const task& task, instant now) {
    if (task.where != nullptr)
      free_next(task, now);
    free_next_of_key(task, now);
  }

  /// Lets the tasks go again for which the worker may have room.
  void free_for(worker_number worker, instant now);

  /// Lets all unplaced tasks go to any worker again.
  void free_unplaced(instant now) {
    while (!unplaced_.empty())
      free(*unplaced_.begin(), now);
  }

  /// Frees all tasks that are set aside.
  void free_all(instant now);

  /// Sets the workers that may run the tasks of `where` to `only`, in ascending
  /// order.
  ///
  /// Cost: O(workers that the restriction names) if a task is held for `where`.
  void change(restriction& where, std::vector<worker_number> only);

  // -- tasks that no worker may run any more ----------------------------------

  /// Records that a task with the restriction was accepted.
  void accepted(const restriction& where) noexcept {
    has_strict_ = has_strict_ || !(where.loose || where.open);
  }

  /// Records that the worker does not serve any more, or is a pool without
  /// workers, so that tasks may wait for the worker in vain.
  void departed(worker_number worker) {
    if (has_strict_)
      departed_.push_back(worker);
  }

  /// Whether `departed` was called since the last call of `take_departed`.
  bool has_departed() const noexcept {
    return !departed_.empty();
  }

  /// Returns the workers that were passed to `departed` since the last call of
  /// this function.
  std::vector<worker_number> take_departed() {
    return std::exchange(departed_, {});
  }

  // -- questions --------------------------------------------------------------

  /// Returns the number of held tasks.
  std::size_t held() const noexcept {
    return held_;
  }

  /// Returns the restrictions that name the worker and have held tasks.
  std::vector<restriction*> awaiting(worker_number worker) const;

  /// Whether the waiting room has a task of the same key that must go before
  /// `task`.
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

  /// Restrictions with held tasks, by the workers that these restrictions name.
  std::set<std::pair<worker_number, restriction*>> awaited_;
  /// Restrictions with held tasks that name many workers, or no worker yet.
  /// These restrictions are checked one by one.
  std::set<restriction*> awaited_by_many_;
  task_set unplaced_;
  /// Tasks that are set aside and must go after all earlier tasks of their
  /// keys.
  std::set<task*, goes_before_of_key> first_of_keys_;

  /// Whether a task was accepted with a restriction that is not loose and not
  /// open.
  bool has_strict_ = false;
  std::vector<worker_number> departed_;
};

} // namespace libpool
