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

/// Where tasks wait that cannot go for now, although they are next: the order
/// keeps them in mind, but chooses others until they are free.
///
/// A task is held for particular workers until one of these is offered, or it
/// is *unplaced*, since the placement has no worker for it, until a worker is
/// offered or loses a task. Of tasks that are held for the same workers, one of
/// each queue is free at a time; the next one follows it.
///
/// Cost:    O(log tasks) to hold and to free one, and O(workers that it names)
///          for the first one that waits for these. A worker that is offered
///          costs O(1) if no task waits, and O(queues) for each restriction
///          that names it.
/// Threads: one at a time.
class waiting_room {
public:
  /// @pre both outlive it
  waiting_room(libpool::order& order, const libpool::placement& placement)
    : order_(order), placement_(placement) {
    // nop
  }

  waiting_room(const waiting_room&) = delete;
  waiting_room& operator=(const waiting_room&) = delete;
  ~waiting_room();

  // -- holding ----------------------------------------------------------------

  /// Holds the task, which waits in the order, for the workers that it names;
  /// or, if it is unplaced or has to wait for no particular ones, until the
  /// placement may have a worker.
  void hold(task& task, bool is_unplaced, instant now);

  /// Takes the task, which waits, out of here or of the order, for good.
  void remove(task& task, instant now);

  // -- freeing ----------------------------------------------------------------

  /// The task, which was next, goes to a worker: others follow.
  void followed(const task& task, instant now) {
    if (task.where != nullptr)
      free_next(task, now);
    free_next_of_key(task, now);
  }

  /// Frees tasks for which this worker may have room.
  void free_for(worker_number worker, instant now);

  /// Frees all tasks for which the placement had no worker.
  void free_unplaced(instant now) {
    while (!unplaced_.empty())
      free(*unplaced_.begin(), now);
  }

  void free_all(instant now);

  /// Tasks of `where` may run on these workers from now on, in ascending order.
  ///
  /// Cost: O(workers named) if a task is held for it.
  void change(restriction& where, std::vector<worker_number> only);

  // -- tasks that no worker may run any more ----------------------------------

  /// A task of it is accepted.
  void accepted(const restriction& where) noexcept {
    has_strict_ = has_strict_ || !(where.loose || where.open);
  }

  /// The worker serves no more, or is a pool without workers: tasks may wait
  /// for it in vain.
  void departed(worker_number worker) {
    if (has_strict_)
      departed_.push_back(worker);
  }

  bool has_departed() const noexcept {
    return !departed_.empty();
  }

  /// The workers that have departed since it was asked last.
  std::vector<worker_number> take_departed() {
    return std::exchange(departed_, {});
  }

  // -- questions --------------------------------------------------------------

  /// How many tasks are held for particular workers.
  std::size_t held() const noexcept {
    return held_;
  }

  /// Restrictions that name the worker, and of which some task is held.
  std::vector<restriction*> awaiting(worker_number worker) const;

  /// Whether one of its key that goes before it is held.
  bool is_behind_its_key(const task& task) const {
    return !first_of_keys_.empty() && is_behind_another(task);
  }

private:
  /// Orders tasks so that the tasks of one key stand together.
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

  /// Restrictions of which tasks are held; and restrictions that name so many
  /// workers that they are looked at one by one.
  std::set<std::pair<worker_number, restriction*>> awaited_;
  std::set<restriction*> awaited_by_many_;
  task_set unplaced_;
  /// Held or unplaced, and before others of their keys.
  std::set<task*, goes_before_of_key> first_of_keys_;

  /// Whether there was a task that only some workers may run.
  bool has_strict_ = false;
  std::vector<worker_number> departed_;
};

} // namespace libpool
