#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/stealing_record.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace libpool {

/// The record of the handlers that have run, of one worker or of all.
struct worker_record {
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  /// Sums of the times from acceptance to start, and from there to the end.
  duration waited{0};
  duration busy{0};
  duration slowest{0};
  /// Tasks that were taken over from others.
  std::uint64_t stolen = 0;

  void note(duration wait, duration service, ending how) noexcept {
    waited += wait;
    busy += service;
    slowest = std::max(slowest, service);
    if (how != ending::interrupted)
      ++(how == ending::completed ? completed : failed);
  }
};

/// The record that a placement keeps of one worker.
struct placement_record {
  placement_record() = default;
  placement_record(const placement_record&) = delete;
  placement_record& operator=(const placement_record&) = delete;
  virtual ~placement_record() = default;
};

/// A worker as the dispatcher sees it. Whoever makes it keeps it until the
/// dispatcher dismisses it; the dispatcher writes, policies read.
struct worker {
  /// `serving`: gets tasks. `leaving`: gets none, and is dismissed when it has
  /// ended the tasks that it has begun. `gone`: the same, of one that is dead.
  enum class condition : std::uint8_t { unknown, serving, leaving, gone };

  static constexpr auto in_no_heap = static_cast<std::uint32_t>(-1);

  worker() = default;
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // Grouped by their readers, since there may be many workers: what each task
  // changes is on a few cache lines.

  // -- set before it joins ----------------------------------------------------

  worker_number number{0};
  /// How many tasks may be in its mailbox, the running one included.
  std::size_t window = 1;
  /// Whether it is a pool, which has workers of its own: one of them that hangs
  /// or crashes says nothing of the others.
  bool is_pool = false;
  /// Whether it is a pool that has no workers, and expects none: as good as
  /// gone, for tasks that only it may run.
  bool has_nobody = false;

  // -- kept by the dispatcher -------------------------------------------------

  condition is = condition::unknown;
  /// Whether it lets others have their turn.
  bool pauses = false;
  /// Whether it is offered to the placement right now.
  bool offered = false;
  /// Whether it could be sent something right now.
  bool has_room = false;
  /// Whether it could take over tasks that are bound to others: it has nothing.
  bool idle = false;
  /// Whether the pool counts its seats.
  bool seated = false;
  std::uint32_t heap_slot = in_no_heap; // in a heap of the placement
  /// Tasks in its deque or in its mailbox.
  std::size_t in_flight = 0;
  std::size_t in_mailbox = 0;
  /// When the placement last chose it, counted in choices; 0 if never.
  std::uint64_t chosen = 0;
  /// Tasks of its own that have passed their deadlines and do not end.
  std::size_t hanging = 0;
  /// Of its tasks, the older the less.
  duration slowest_lately{0};
  /// Sent and not come back, in the order in which they were sent.
  task_list mailbox;
  /// Among the workers that the placement sorts, unless it has a heap.
  boost::intrusive::set_member_hook<> placement_hook;
  /// Kept by the placement.
  std::unique_ptr<placement_record> placed;
  /// Kept by the stealing.
  std::unique_ptr<stealing_record> booked;
  /// Assigned, not sent, in the order in which they are sent.
  task_set deque;
  boost::intrusive::list_member_hook<> ready_hook;
  /// Among the workers that rest.
  boost::intrusive::set_member_hook<> rest_hook;

  // -- where seats count ------------------------------------------------------

  /// How many tasks it can run at once, by their widths; set before it joins.
  /// Where the order goes by flows, they count in place of the window.
  std::size_t seats = 1;
  /// How many of its seats the tasks in its mailbox take, and how many of the
  /// pool.
  std::size_t seats_taken = 0;
  std::size_t seats_charged = 0;
  boost::intrusive::set_member_hook<> room_hook;

  // -- for what is rare -------------------------------------------------------

  /// Its share of the time, where the placement goes by that; zero: an equal
  /// one. Given for all workers of a pool, or for none; set before it joins.
  duration weight{0};
  /// Gets nothing before this.
  instant rests_until = instant::min();
  boost::intrusive::set_member_hook<> member_hook;

  worker_record record;
};

/// Whether the worker of the task gets nothing more because of it: it has
/// passed its deadline, and does not end.
/// @pre the task is in the mailbox of a worker
inline bool hangs(const task& task) noexcept {
  return task.is == task::condition::overdue
         && task.unwanted == errc::deadline_exceeded && !task.on->is_pool;
}

/// Orders workers by when they joined.
struct joined_sooner {
  bool operator()(const worker& x, const worker& y) const noexcept {
    return x.number < y.number;
  }

  bool operator()(const worker& x, worker_number y) const noexcept {
    return x.number < y;
  }

  bool operator()(worker_number x, const worker& y) const noexcept {
    return x < y.number;
  }
};

} // namespace libpool
