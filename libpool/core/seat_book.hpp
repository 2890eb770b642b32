#pragma once

#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"
#include "libpool/export.hpp"

#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace libpool {

/// Counts the free seats of a pool and of each of its workers. A seat is a
/// place for a task of width 1.
///
/// A task takes as many seats of the pool as its width, but at most all seats
/// of the pool. A task takes as many seats of its worker as its width, but at
/// most all seats of the worker. If seats are not counted, every task fits, and
/// only the number of the tasks at a worker is limited (`worker::window`).
///
/// A worker is *well*, that is, fit to get tasks, while it serves, has a window
/// above 0, runs no task past its deadline, and is not kept from tasks for some
/// time after a crash. The seats of a worker, and the seats that its tasks
/// take, count in the pool only while the worker is well: a task on a worker
/// that leaves or hangs does not delay other tasks.
///
/// Cost:    O(1); O(log workers) once a worker has had several seats.
/// Threads: one at a time.
class LIBPOOL_EXPORT seat_book {
public:
  /// Makes a book without workers. `counts`: whether the seats of workers
  /// (places for tasks) are counted. If false, only the number of tasks at each
  /// worker is limited.
  explicit seat_book(bool counts) noexcept : counts_(counts) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// Adds the seats (places for tasks) of the worker, which has joined the
  /// pool. `all`: all workers of the pool, this one included.
  void joined(const worker& worker, workers_by_number& all) noexcept;

  /// Subtracts the seats (places for tasks) of the worker, which does not serve
  /// any more.
  void retired(const worker& worker) noexcept;

  /// Sets the number of seats (places for tasks) of the worker to `seats`.
  /// `all`: all workers of the pool.
  /// @pre `counted` was called with false for the worker, so that its seats do
  ///      not count in the pool
  void resized(worker& worker, std::size_t seats,
               workers_by_number& all) noexcept;

  /// Records whether the placement, which chooses the workers of tasks, may
  /// choose the worker from now on.
  void offered(worker& worker, bool is_offered) noexcept {
    if (counts_)
      keep_by_room(worker, is_offered && sorts_);
  }

  /// Records whether the worker is fit to get tasks from now on (`is_well`).
  /// Only then its seats (places for tasks) count in the pool. Returns whether
  /// the number of seats of the pool changes.
  bool counted(worker& worker, bool is_well) noexcept;

  /// Records that the task goes to the worker and takes seats (places for
  /// tasks) there and in the pool. Also takes the worker
  /// out of the set that is sorted by free seats; `offered` puts it back.
  /// @pre seats are counted
  void taken(task& task, worker& worker) noexcept;

  /// Records that the task has left the worker, so that its seats (places for
  /// tasks) are free again. Also takes the worker out of the set that is
  /// sorted by free seats; `offered` puts it back.
  /// @pre seats are counted
  void freed(const task& task, worker& worker) noexcept;

  // -- questions --------------------------------------------------------------

  /// Whether the seats of workers (places for tasks) are counted. Constant.
  bool counts() const noexcept {
    return counts_;
  }

  /// Returns the number of seats (places for tasks) of the pool: the sum over
  /// the workers that are fit to get tasks.
  std::size_t seats() const noexcept {
    return seats_;
  }

  /// Returns the number of seats (places for tasks) of the pool that the task
  /// would take now: its width, but at most all seats.
  std::size_t seats_for(const task& task) const noexcept {
    return std::min(task.notes().width, seats_);
  }

  /// Whether the pool has enough free seats (places for tasks) for the task.
  /// Always true if seats are not counted.
  bool fits(const task& task) const noexcept {
    return !counts_ || seats_for(task) + taken_ <= seats_;
  }

  /// Whether the task needs more seats (places for tasks) than all serving
  /// workers have, including workers that get no tasks for some time. Always
  /// false if seats are not counted or no worker serves.
  bool is_too_wide(const task& task) const noexcept {
    return counts_ && serving_ > 0 && task.notes().width > serving_;
  }

  /// Returns the number of tasks of width 1 that the worker may have: its seats
  /// or, if seats are not counted, its window.
  std::size_t places_of(const worker& worker) const noexcept {
    return counts_ ? worker.seats : worker.window;
  }

  /// Whether the worker has a free seat (place for a task). If seats are not
  /// counted: whether the worker has fewer tasks than it may have
  /// (`worker::window`).
  bool has_place(const worker& worker) const noexcept {
    return counts_ ? worker.seats_taken < worker.seats
                   : worker.in_mailbox < worker.window;
  }

  /// Whether the worker has enough free seats (places for tasks) for the task.
  /// Always true if seats are not counted.
  bool has_room(const worker& worker, const task& task) const noexcept {
    return !counts_
           || std::min(task.notes().width, worker.seats) <= free_of(worker);
  }

  /// Whether all workers that may be chosen now (see `offered`) have enough
  /// free seats for the task. Checks only the worker with the fewest free
  /// seats.
  bool fits_on_all(const task& task) const noexcept {
    return by_room_.empty() || has_room(*by_room_.rbegin(), task);
  }

  /// Sets `result` to the workers that may be chosen now (see `offered`) and
  /// have enough free seats for the task, in the order in which they joined.
  /// @pre `fits_on_all(task)` is false
  void collect(const task& task, std::vector<worker*>& result);

private:
  struct has_more_room {
    bool operator()(const worker& x, const worker& y) const noexcept;
  };

  using workers_by_room = boost::intrusive::set<
    worker, boost::intrusive::compare<has_more_room>,
    boost::intrusive::member_hook<worker, boost::intrusive::set_member_hook<>,
                                  &worker::room_hook>>;

  /// Returns the number of free seats (places for tasks) of the worker; 0 if
  /// its tasks take more seats than the worker has, because it has lost some.
  static std::size_t free_of(const worker& worker) noexcept {
    return worker.seats - std::min(worker.seats, worker.seats_taken);
  }

  void sort(workers_by_number& all) noexcept;
  void keep_by_room(worker& worker, bool wanted) noexcept;

  bool counts_;
  /// Workers that may be chosen now (see `offered`): idle workers first, then
  /// by the number of free seats, the most first. Empty while all workers have
  /// one seat, because each of these workers then has room for every task.
  workers_by_room by_room_;
  bool sorts_ = false;
  /// Number of seats (places for tasks) of the workers that are fit to get
  /// tasks.
  std::size_t seats_ = 0;
  /// Number of seats of the pool that tasks take; above `seats_` if workers
  /// have left since then.
  std::size_t taken_ = 0;
  /// Number of seats of all serving workers, even of workers that get no tasks
  /// now.
  std::size_t serving_ = 0;
};

} // namespace libpool
