#pragma once

#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace libpool {

/// Counts the free seats of a pool and of each of its workers.
///
/// A task takes as many seats of the pool as its width, but at most all seats
/// of the pool. A task takes as many seats of its worker as its width, but at
/// most all seats of the worker. If seats do not count, every task fits, and
/// the window of a worker limits its tasks.
///
/// A worker is *well* while it serves, has a window above 0, does not hang and
/// does not rest. The seats of a worker, and the seats that its tasks take,
/// count in the pool only while the worker is well: a task on a worker that
/// leaves or hangs does not delay other tasks.
///
/// Cost:    O(1); O(log workers) once a worker has had several seats.
/// Threads: one at a time.
class seat_book {
public:
  /// Makes a book without workers. `counts`: whether seats count, which is the
  /// case if the order uses flows.
  explicit seat_book(bool counts) noexcept : counts_(counts) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// Adds the seats of the worker, which is in `all` and serves from now on.
  void joined(const worker& worker, workers_by_number& all) noexcept;

  /// Removes the seats of the worker, which does not serve any more.
  void retired(const worker& worker) noexcept;

  /// Sets the number of seats of the worker to `seats`. `all`: all workers of
  /// the pool.
  /// @pre the seats of the worker do not count in the pool
  void resized(worker& worker, std::size_t seats,
               workers_by_number& all) noexcept;

  /// Records whether the worker is offered to the placement from now on.
  void offered(worker& worker, bool is_offered) noexcept {
    if (counts_)
      keep_by_room(worker, is_offered && sorts_);
  }

  /// Records whether the worker is well from now on. Returns whether the number
  /// of seats of the pool changes.
  bool counted(worker& worker, bool is_well) noexcept;

  /// Records that the task goes to the worker. Removes the worker from the set
  /// sorted by room until the worker is offered again.
  /// @pre seats count
  void taken(task& task, worker& worker) noexcept;

  /// Records that the task has left the worker. Removes the worker from the set
  /// sorted by room until the worker is offered again.
  /// @pre seats count
  void freed(const task& task, worker& worker) noexcept;

  // -- questions --------------------------------------------------------------

  /// Returns the number of seats of the pool, which are the seats of all
  /// workers that are well.
  std::size_t seats() const noexcept {
    return seats_;
  }

  /// Returns the number of seats of the pool that the task would take now.
  std::size_t seats_for(const task& task) const noexcept {
    return std::min(task.width, seats_);
  }

  /// Whether the pool has enough free seats for the task.
  bool fits(const task& task) const noexcept {
    return !counts_ || seats_for(task) + taken_ <= seats_;
  }

  /// Whether the task is wider than all serving workers together, including
  /// workers that are not well. Always false if seats do not count or no worker
  /// serves.
  bool is_too_wide(const task& task) const noexcept {
    return counts_ && serving_ > 0 && task.width > serving_;
  }

  /// Whether the worker has a free seat. If seats do not count: whether the
  /// window of the worker has room.
  bool has_place(const worker& worker) const noexcept {
    return counts_ ? worker.seats_taken < worker.seats
                   : worker.in_mailbox < worker.window;
  }

  /// Whether the worker has enough free seats for the task. Always true if
  /// seats do not count.
  bool has_room(const worker& worker, const task& task) const noexcept {
    return !counts_ || std::min(task.width, worker.seats) <= free_of(worker);
  }

  /// Whether all offered workers have room for the task. Checks only the worker
  /// with the least room.
  bool fits_on_all(const task& task) const noexcept {
    return by_room_.empty() || has_room(*by_room_.rbegin(), task);
  }

  /// Sets `result` to the offered workers that have room for the task, in the
  /// order in which they joined.
  /// @pre some offered worker has no room for the task
  void collect(const task& task, std::vector<worker*>& result);

private:
  struct has_more_room {
    bool operator()(const worker& x, const worker& y) const noexcept;
  };

  using workers_by_room = boost::intrusive::set<
    worker, boost::intrusive::compare<has_more_room>,
    boost::intrusive::member_hook<worker, boost::intrusive::set_member_hook<>,
                                  &worker::room_hook>>;

  /// Returns the number of free seats of the worker; 0 if its tasks take more
  /// seats than the worker now has.
  static std::size_t free_of(const worker& worker) noexcept {
    return worker.seats - std::min(worker.seats, worker.seats_taken);
  }

  void sort(workers_by_number& all) noexcept;
  void keep_by_room(worker& worker, bool wanted) noexcept;

  bool counts_;
  /// Offered workers, sorted by room. Empty while all workers have one seat,
  /// because each offered worker then has room for every task.
  workers_by_room by_room_;
  bool sorts_ = false;
  /// Number of seats of the workers that are well.
  std::size_t seats_ = 0;
  /// Number of taken seats of the pool; above `seats_` if workers have left
  /// since the seats were taken.
  std::size_t taken_ = 0;
  /// Number of seats of all serving workers.
  std::size_t serving_ = 0;
};

} // namespace libpool
