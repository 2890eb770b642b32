#pragma once

#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace libpool {

/// Counts the free seats of the pool and of each worker.
///
/// A task takes as many seats of the pool as it is wide, but at most all of
/// them, and as many seats of its worker, but at most all of those. If seats do
/// not count, every task fits, and a worker has room as its window allows.
///
/// A worker is *well* while it serves, has a window above 0, does not hang and
/// does not rest.
///
/// Load:    the seats of a worker, and the seats that its tasks take, count in
///          the pool only while the worker is well: a task on a worker that
///          leaves or hangs does not hold up other tasks.
/// Cost:    O(1); O(log workers) once some worker has several seats.
/// Threads: one at a time.
class seat_book {
public:
  /// @param counts whether seats count, as they do if the order goes by flows
  explicit seat_book(bool counts) noexcept : counts_(counts) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// The worker serves from now on, and is in `all`.
  void joined(const worker& worker, workers_by_number& all) noexcept;

  /// The worker does not serve any more.
  void retired(const worker& worker) noexcept;

  /// The worker has another number of seats from now on.
  /// @pre the seats of the worker do not count in the pool
  void resized(worker& worker, std::size_t seats,
               workers_by_number& all) noexcept;

  /// The worker is offered from now on, or is not offered any more.
  void offered(worker& worker, bool is_offered) noexcept {
    if (counts_)
      keep_by_room(worker, is_offered && sorts_);
  }

  /// The worker is well from now on, or is not well any more. Returns whether
  /// this changes the number of seats of the pool.
  bool counted(worker& worker, bool is_well) noexcept;

  /// The task goes to the worker. The worker is not in the set sorted by room
  /// until it is offered again.
  /// @pre seats count
  void taken(task& task, worker& worker) noexcept;

  /// The task has left the worker. The worker is not in the set sorted by room
  /// until it is offered again.
  /// @pre seats count
  void freed(const task& task, worker& worker) noexcept;

  // -- questions --------------------------------------------------------------

  /// Returns the number of seats of all workers that are well.
  std::size_t seats() const noexcept {
    return seats_;
  }

  /// Returns the number of seats of the pool that the task takes if it goes
  /// now.
  std::size_t seats_for(const task& task) const noexcept {
    return std::min(task.width, seats_);
  }

  /// Whether the pool has enough free seats for the task.
  bool fits(const task& task) const noexcept {
    return !counts_ || seats_for(task) + taken_ <= seats_;
  }

  /// Whether the task is wider than all serving workers together, including
  /// workers that are not well. False if no worker serves.
  bool is_too_wide(const task& task) const noexcept {
    return counts_ && serving_ > 0 && task.width > serving_;
  }

  /// Whether the worker has a free seat or, if seats do not count, room in its
  /// window.
  bool has_place(const worker& worker) const noexcept {
    return counts_ ? worker.seats_taken < worker.seats
                   : worker.in_mailbox < worker.window;
  }

  /// Whether the worker has enough free seats for the task. Always true if
  /// seats do not count.
  bool has_room(const worker& worker, const task& task) const noexcept {
    return !counts_ || std::min(task.width, worker.seats) <= free_of(worker);
  }

  /// Whether all offered workers have room for the task. Looks only at the
  /// worker with the least room.
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

  /// Returns the number of free seats; 0 if the worker has fewer seats now than
  /// its tasks take.
  static std::size_t free_of(const worker& worker) noexcept {
    return worker.seats - std::min(worker.seats, worker.seats_taken);
  }

  void sort(workers_by_number& all) noexcept;
  void keep_by_room(worker& worker, bool wanted) noexcept;

  bool counts_;
  /// The offered workers, sorted by room. Empty while all workers have one
  /// seat, since every offered worker then has room for every task.
  workers_by_room by_room_;
  bool sorts_ = false;
  /// Seats of the workers that are well, and how many of them are taken. More
  /// can be taken than there are, if workers have left since.
  std::size_t seats_ = 0;
  std::size_t taken_ = 0;
  /// Seats of all serving workers.
  std::size_t serving_ = 0;
};

} // namespace libpool
