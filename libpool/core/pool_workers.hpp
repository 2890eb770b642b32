#pragma once

#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/seat_book.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <utility>

namespace libpool {

/// The workers of a pool, and which of them can get tasks now.
///
/// A worker is *well* while it serves, has a window above 0, does not hang,
/// does not rest and is not paused by a user. A worker is *fit* while it is
/// well, does not pause for a moment, and the pool is not paused. With eager
/// assignment, tasks are assigned to workers that are well and do not wait for
/// their own pool. With lazy assignment, tasks are assigned to workers that are
/// fit and have room. Tasks are sent to workers that are fit and have room.
///
/// Cost:    O(1); O(log workers) for a worker that joins, leaves or rests.
/// Threads: one at a time.
class LIBPOOL_EXPORT pool_workers {
public:
  /// Makes an object without workers. `is_eager`: whether tasks are assigned to
  /// workers when they arrive. `counts_seats`: whether the seats of workers
  /// (places for tasks) are counted.
  pool_workers(bool is_eager, bool counts_seats) noexcept
    : seats(counts_seats), is_eager_(is_eager) {
    // nop
  }

  /// Free seats (places for tasks) of the pool and of its workers.
  seat_book seats;

  // -- facts about membership -------------------------------------------------

  /// Adds the worker, which serves from now on.
  void joined(worker& worker) noexcept;

  /// Records that the worker does not serve: `next` is `leaving` or `gone`.
  /// Returns whether it has served until now.
  bool stops_serving(worker& worker, worker::condition next) noexcept;

  /// Removes the worker, which does not serve and has no tasks.
  void dismissed(worker& worker) noexcept;

  /// Sets the maximum number of tasks of the worker, and of its seats.
  /// @pre the seats of the worker do not count in the pool
  void resized(worker& worker, std::size_t places) noexcept;

  // -- facts about tasks at workers -------------------------------------------

  /// Records that a task was added to the mailbox of the worker.
  void sent(worker& worker) noexcept {
    busy_ += worker.in_mailbox++ == 0 ? 1U : 0U;
  }

  /// Records that a task has left the mailbox of the worker.
  void came_back(worker& worker) noexcept {
    --worker.in_mailbox;
    --worker.in_flight;
    if (worker.in_mailbox == 0 && worker.is == worker::condition::serving)
      --busy_;
  }

  /// Records that a task makes the worker hang.
  void hangs(worker& worker) noexcept;

  /// Records that the handler of a task that made the worker hang has ended.
  void ends_hanging(worker& worker) noexcept;

  // -- pauses and rests -------------------------------------------------------

  /// Records whether the worker pauses for a moment.
  void paused(worker& worker, bool pauses) noexcept;

  /// Records that a user has paused the worker. Returns false if that changes
  /// nothing.
  bool suspended(worker& worker) noexcept;

  /// Records that the pause of the worker by a user has ended. Returns false if
  /// that changes nothing.
  bool reinstated(worker& worker) noexcept;

  /// Pauses the pool, or ends its pause.
  void suspended(bool is_suspended) noexcept {
    is_suspended_ = is_suspended;
  }

  /// Lets the worker rest until the time `until`: it gets no tasks.
  void rest(worker& worker, instant until) noexcept;

  /// Lets the worker, which the task has crashed, rest until the task would
  /// have taken as long as the slowest recent task of the worker. Otherwise a
  /// worker that fails fast would attract work. An inner pool does this for its
  /// own workers.
  void rest_after(const task& task, worker& worker, instant now) noexcept;

  /// Ends the rest of the worker. Returns whether it rested.
  bool end_rest(worker& worker) noexcept;

  /// Ends the rest of the worker whose rest has ended first at the time `now`,
  /// and returns the worker; nullptr if no rest has ended.
  worker* take_rested(instant now) noexcept;

  /// Returns the time at which `take_rested` returns a worker; `never` if no
  /// worker rests.
  instant next_rested() const noexcept {
    return resting_.empty() ? never : resting_.begin()->rests_until;
  }

  // -- updates, after facts about the worker or its tasks ---------------------

  /// Updates whether the seats of the worker count in the pool, which they do
  /// if it is well. Returns whether the number of seats of the pool changes.
  bool count_seats(worker& worker) noexcept {
    return seats.counted(worker, is_well(worker));
  }

  /// Updates whether tasks can be assigned to the worker (`worker::offered`).
  /// Returns whether that changes.
  bool offer(worker& worker) noexcept {
    auto eligible = is_eager_ ? is_well(worker) && !worker.waits
                              : is_fit(worker) && seats.has_place(worker);
    seats.offered(worker, eligible);
    if (std::exchange(worker.offered, eligible) == eligible)
      return false;
    offered_ = eligible ? offered_ + 1 : offered_ - 1;
    return true;
  }

  /// Updates whether a task can be sent to the worker (`worker::has_room`).
  void give_room(worker& worker) noexcept {
    auto has_room = is_fit(worker) && seats.has_place(worker);
    if (std::exchange(worker.has_room, has_room) != has_room)
      with_room_ = has_room ? with_room_ + 1 : with_room_ - 1;
    if (is_eager_)
      keep_ready(worker);
  }

  /// Updates whether the worker could begin a task of another worker at once
  /// (`worker::idle`). Returns whether that changes.
  bool keep_idle(worker& worker) noexcept {
    auto is_idle = worker.in_flight == 0 && is_fit(worker);
    if (std::exchange(worker.idle, is_idle) == is_idle)
      return false;
    idle_ = is_idle ? idle_ + 1 : idle_ - 1;
    return true;
  }

  // -- questions --------------------------------------------------------------

  /// Returns all workers, in the order in which they joined.
  const workers_by_number& all() const noexcept {
    return members_;
  }

  /// Returns all workers, in the order in which they joined.
  workers_by_number& all() noexcept {
    return members_;
  }

  /// Returns a worker that can be sent a task, and has tasks that are assigned
  /// to it and not sent; nullptr if there is none.
  worker* first_ready() noexcept {
    return ready_.empty() ? nullptr : &ready_.front();
  }

  /// Whether the pool has the worker with this number.
  bool has(worker_number number) const noexcept {
    return members_.find(number, joined_sooner{}) != members_.end();
  }

  /// Returns the worker with this number if tasks can be assigned to it;
  /// otherwise nullptr.
  worker* offered(worker_number number) noexcept {
    auto i = members_.find(number, joined_sooner{});
    return i != members_.end() && i->offered ? &*i : nullptr;
  }

  /// Whether no worker will ever run tasks of the restriction: each worker that
  /// it names has left or is a pool without workers. Always false if the
  /// restriction is loose or open.
  bool are_lost(const restriction& where) const noexcept;

  /// Whether the worker is fit.
  bool is_fit(const worker& worker) const noexcept {
    return is_well(worker) && !worker.pauses && !is_suspended_;
  }

  /// Whether the pool is paused.
  bool is_suspended() const noexcept {
    return is_suspended_;
  }

  /// Whether the pool or a serving worker is paused by a user.
  bool has_suspended() const noexcept {
    return is_suspended_ || suspended_ > 0;
  }

  /// Whether the pool is paused, or a serving worker pauses for a moment.
  bool has_pauses() const noexcept {
    return is_suspended_ || pausing_ > 0;
  }

  /// Returns the number of workers that tasks can be assigned to.
  std::size_t offered() const noexcept {
    return offered_;
  }

  /// Returns the number of workers that can be sent a task.
  std::size_t with_room() const noexcept {
    return with_room_;
  }

  /// Returns the number of idle workers; 0 without work stealing.
  std::size_t idle() const noexcept {
    return idle_;
  }

  /// Returns the number of serving workers that have tasks in their mailboxes.
  std::size_t busy() const noexcept {
    return busy_;
  }

  /// Returns the number of serving workers that hang.
  std::size_t hanging() const noexcept {
    return hanging_;
  }

  /// Returns the number of places for tasks at all serving workers, however
  /// many tasks they have: the seats if seats are counted, otherwise the
  /// windows.
  ///
  /// Cost: O(workers).
  std::size_t places() const noexcept;

private:
  static bool is_well(const worker& worker) noexcept {
    return worker.is == worker::condition::serving && worker.hanging == 0
           && worker.window > 0 && !worker.suspended
           && !worker.rest_hook.is_linked();
  }

  void keep_ready(worker& worker) noexcept {
    auto is_ready = worker.has_room && !worker.deque.empty();
    if (is_ready == worker.ready_hook.is_linked())
      return;
    if (is_ready)
      ready_.push_back(worker);
    else
      ready_.erase(ready_.iterator_to(worker));
  }

  const bool is_eager_;
  bool is_suspended_ = false;
  workers_by_number members_;
  resting_workers resting_;
  ready_workers ready_;
  worker_number next_number_{0}; // above all worker numbers so far
  std::size_t offered_ = 0;
  std::size_t with_room_ = 0;
  std::size_t pausing_ = 0;   // serving workers that pause
  std::size_t suspended_ = 0; // serving workers that users have paused
  std::size_t busy_ = 0;
  std::size_t hanging_ = 0;
  std::size_t idle_ = 0;
};

} // namespace libpool
