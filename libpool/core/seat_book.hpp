#pragma once

#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace libpool {

/// Says which seats are free: those of the pool, and those of each worker.
///
/// A task takes as many of the pool's seats as it is wide, though no more than
/// there are; and on its worker, though no more than that has. Where seats do
/// not count, every task fits, and a worker has room as its window says.
///
/// Load:    the seats of a worker, and what its tasks take of them, count in
///          the pool while the worker is well: a task that runs on a worker
///          that leaves or hangs holds up no other task.
/// Cost:    O(1), and O(log workers) once some worker has several seats.
/// Threads: one at a time.
class seat_book {
public:
  /// Whether seats count at all: they do where the order goes by flows.
  explicit seat_book(bool counts) noexcept : counts_(counts) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// Serves from now on, and is one of `all`.
  void joined(const worker& worker, workers_by_number& all) noexcept;

  /// Serves no more.
  void retired(const worker& worker) noexcept;

  /// Has another number of seats from now on.
  /// @pre its seats do not count in the pool
  void resized(worker& worker, std::size_t seats,
               workers_by_number& all) noexcept;

  /// Is offered from now on, or is not.
  void offered(worker& worker, bool is_offered) noexcept {
    if (counts_)
      keep_by_room(worker, is_offered && sorts_);
  }

  /// Is well from now on, or is not. Returns whether the pool has another
  /// number of seats for that.
  bool counted(worker& worker, bool is_well) noexcept;

  /// Goes to the worker, which is found by its room again when it is offered
  /// next.
  /// @pre seats count
  void taken(task& task, worker& worker) noexcept;

  /// Has left the worker, likewise.
  /// @pre seats count
  void freed(const task& task, worker& worker) noexcept;

  // -- questions --------------------------------------------------------------

  /// Of the workers that are well.
  std::size_t seats() const noexcept {
    return seats_;
  }

  /// How many seats of the pool the task takes if it goes now.
  std::size_t seats_for(const task& task) const noexcept {
    return std::min(task.width, seats_);
  }

  /// Whether the pool has the seats that the task takes.
  bool fits(const task& task) const noexcept {
    return !counts_ || seats_for(task) + taken_ <= seats_;
  }

  /// Whether the task is wider than all workers that serve, also workers that
  /// do badly for now. Unknown without any worker.
  bool is_too_wide(const task& task) const noexcept {
    return counts_ && serving_ > 0 && task.width > serving_;
  }

  /// Whether the worker can be sent something.
  bool has_place(const worker& worker) const noexcept {
    return counts_ ? worker.seats_taken < worker.seats
                   : worker.in_mailbox < worker.window;
  }

  /// Whether the task can start there at once, if that is what it takes.
  bool has_room(const worker& worker, const task& task) const noexcept {
    return !counts_ || std::min(task.width, worker.seats) <= free_of(worker);
  }

  /// Whether all that are offered have room for the task: the one with the
  /// least has.
  bool fits_on_all(const task& task) const noexcept {
    return by_room_.empty() || has_room(*by_room_.rbegin(), task);
  }

  /// The workers that are offered and have room for the task, as they have
  /// joined.
  /// @pre some have not
  void collect(const task& task, std::vector<worker*>& result);

private:
  struct has_more_room {
    bool operator()(const worker& x, const worker& y) const noexcept;
  };

  using workers_by_room = boost::intrusive::set<
    worker, boost::intrusive::compare<has_more_room>,
    boost::intrusive::member_hook<worker, boost::intrusive::set_member_hook<>,
                                  &worker::room_hook>>;

  /// None if the worker has fewer seats by now than its tasks take.
  static std::size_t free_of(const worker& worker) noexcept {
    return worker.seats - std::min(worker.seats, worker.seats_taken);
  }

  void sort(workers_by_number& all) noexcept;
  void keep_by_room(worker& worker, bool wanted) noexcept;

  bool counts_;
  /// The offered workers. As long as all have one seat none is in there: they
  /// either have room for everything, or are not offered.
  workers_by_room by_room_;
  bool sorts_ = false;
  /// Of the workers that are well, and how many of them are taken by tasks on
  /// these: more, if some have left since.
  std::size_t seats_ = 0;
  std::size_t taken_ = 0;
  /// Of all workers that serve.
  std::size_t serving_ = 0;
};

} // namespace libpool
