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

/// Statistics of the handlers that have run, on one worker or on all workers.
struct worker_record {
  /// Number of handler runs that completed.
  std::uint64_t completed = 0;
  /// Number of handler runs that ended with a crash or the loss of a node.
  std::uint64_t failed = 0;
  /// Sum of the times from acceptance to start of the handler.
  duration waited{0};
  /// Sum of the times from start to end of the handler.
  duration busy{0};
  /// Longest time from start to end of a handler.
  duration slowest{0};
  /// Number of tasks that were taken over from other workers.
  std::uint64_t stolen = 0;

  /// Adds a handler run with the given times and ending.
  void note(duration wait, duration service, ending how) noexcept {
    waited += wait;
    busy += service;
    slowest = std::max(slowest, service);
    if (how != ending::interrupted)
      ++(how == ending::completed ? completed : failed);
  }
};

/// Base class of the data that a placement keeps for a worker.
struct placement_record {
  placement_record() = default;
  placement_record(const placement_record&) = delete;
  placement_record& operator=(const placement_record&) = delete;
  virtual ~placement_record() = default;
};

/// A worker of a managed pool, as the dispatcher sees it. The creator must keep
/// the worker until the dispatcher dismisses it. The dispatcher writes the
/// members; policies read them.
struct worker {
  /// State of a worker. `unknown`: the dispatcher does not know the worker.
  /// `serving`: the worker gets tasks. `leaving`: the worker gets no tasks, and
  /// is dismissed when the tasks that it has begun have ended. `gone`: the
  /// worker has ended, and is dismissed when all its tasks have come back.
  enum class condition : std::uint8_t { unknown, serving, leaving, gone };

  /// Value of `heap_slot` if the worker is in no heap.
  static constexpr auto in_no_heap = static_cast<std::uint32_t>(-1);

  worker() = default;
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // Members are grouped by use, since a pool may have many workers: members
  // that change with each task are on a few cache lines.

  // -- set before the worker joins --------------------------------------------

  /// Number of the worker in the order in which workers joined.
  worker_number number{0};
  /// Maximum number of tasks in the mailbox of the worker, the running task
  /// included; default: 1.
  std::size_t window = 1;
  /// Whether the worker is a pool with workers of its own. Such a worker does
  /// not hang if one of its workers hangs, and does not rest if one of its
  /// workers crashes.
  bool is_pool = false;
  /// Whether the worker is a pool that has no workers and expects none. Tasks
  /// that only such workers may run fail.
  bool has_nobody = false;

  // -- kept by the dispatcher -------------------------------------------------

  /// State of the worker.
  condition is = condition::unknown;
  /// Whether the worker pauses, so that other workers can use its thread.
  bool pauses = false;
  /// Whether the worker is offered to the placement now.
  bool offered = false;
  /// Whether the worker can be sent one more task now.
  bool has_room = false;
  /// Whether the worker is idle, and so can take over tasks of other workers.
  /// Updated only if the policy has a stealing.
  bool idle = false;
  /// Whether the seats of the worker count in the pool.
  bool seated = false;
  /// Slot of the worker in a heap of the placement; `in_no_heap`: none.
  std::uint32_t heap_slot = in_no_heap;
  /// Number of tasks in the deque and the mailbox of the worker.
  std::size_t in_flight = 0;
  /// Number of tasks in the mailbox of the worker.
  std::size_t in_mailbox = 0;
  /// Serial number of the last assignment to the worker. The pool numbers its
  /// assignments from 1. 0: no assignment yet.
  std::uint64_t chosen = 0;
  /// Number of tasks of the worker that have passed their deadlines and still
  /// run.
  std::size_t hanging = 0;
  /// Decaying maximum of recent service times: each completed task first lowers
  /// the maximum by an eighth.
  duration slowest_lately{0};
  /// Tasks that were sent to the worker and have not come back, in the order in
  /// which they were sent.
  task_list mailbox;
  /// Hook for a sorted set of the placement; not used if the placement has a
  /// heap.
  boost::intrusive::set_member_hook<> placement_hook;
  /// Data that the placement keeps for the worker.
  std::unique_ptr<placement_record> placed;
  /// Data that the stealing keeps for the worker.
  std::unique_ptr<stealing_record> booked;
  /// Tasks that are assigned to the worker and not sent, in the order in which
  /// they will be sent.
  task_set deque;
  /// Hook for the list of workers that can be sent a task from their deques.
  boost::intrusive::list_member_hook<> ready_hook;
  /// Hook for the set of workers that rest.
  boost::intrusive::set_member_hook<> rest_hook;

  // -- used if the order uses flows -------------------------------------------

  /// Number of seats: the maximum sum of the widths of tasks that the worker
  /// runs at once; default: 1. Set before the worker joins. If the order uses
  /// flows, the seats limit the tasks of the worker, instead of the window.
  std::size_t seats = 1;
  /// Number of seats of the worker that the tasks in its mailbox take.
  std::size_t seats_taken = 0;
  /// Number of seats of the pool that the tasks in the mailbox of the worker
  /// take.
  std::size_t seats_charged = 0;
  /// Hook for the set of offered workers that is sorted by room.
  boost::intrusive::set_member_hook<> room_hook;

  // -- rarely used ------------------------------------------------------------

  /// Relative share of the worker, as a time, if the placement uses weights;
  /// zero: equal shares. Set before the worker joins, for all workers of a pool
  /// or for none.
  duration weight{0};
  /// Time before which the worker gets no tasks.
  instant rests_until = instant::min();
  /// Hook for the set of all workers.
  boost::intrusive::set_member_hook<> member_hook;

  /// Record of the handlers that have run on the worker.
  worker_record record;
};

/// Whether the task makes its worker hang: the deadline of the task has passed,
/// and its handler still runs. Always false if the worker is a pool.
/// @pre the task is in the mailbox of a worker
inline bool hangs(const task& task) noexcept {
  return task.is == task::condition::overdue
         && task.unwanted == errc::deadline_exceeded && !task.on->is_pool;
}

/// Orders workers by number, which is the order in which they joined.
struct joined_sooner {
  /// Whether `x` joined before `y`.
  bool operator()(const worker& x, const worker& y) const noexcept {
    return x.number < y.number;
  }

  /// Whether `x` joined before the worker with the number `y`.
  bool operator()(const worker& x, worker_number y) const noexcept {
    return x.number < y;
  }

  /// Whether the worker with the number `x` joined before `y`.
  bool operator()(worker_number x, const worker& y) const noexcept {
    return x < y.number;
  }
};

} // namespace libpool
