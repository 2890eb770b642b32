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

/// The record of the handlers that have run, on one worker or on all.
struct worker_record {
  /// Number of tasks that completed.
  std::uint64_t completed = 0;
  /// Number of tasks that failed.
  std::uint64_t failed = 0;
  /// Sum of the times from acceptance to start.
  duration waited{0};
  /// Sum of the times from start to end.
  duration busy{0};
  /// Longest time from start to end.
  duration slowest{0};
  /// Number of tasks that were taken over from other workers.
  std::uint64_t stolen = 0;

  /// Adds the run of a handler.
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

/// A worker as the dispatcher sees it. The creator of a worker keeps it until
/// the dispatcher dismisses it. The dispatcher writes, policies read.
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

  // Members are grouped by their readers, since there may be many workers:
  // members that each task changes are on a few cache lines.

  // -- set before it joins ----------------------------------------------------

  /// Number of the worker in the order in which workers joined.
  worker_number number{0};
  /// Maximum number of tasks in its mailbox, the running one included.
  std::size_t window = 1;
  /// Whether the worker is a pool with workers of its own. If one of these
  /// hangs or crashes, the pool does not hang and does not rest.
  bool is_pool = false;
  /// Whether the worker is a pool that has no workers and expects none. Such a
  /// worker counts as gone for tasks that only it may run.
  bool has_nobody = false;

  // -- kept by the dispatcher -------------------------------------------------

  /// State of the worker.
  condition is = condition::unknown;
  /// Whether the worker pauses, so that others get its thread.
  bool pauses = false;
  /// Whether the worker is offered to the placement now.
  bool offered = false;
  /// Whether the worker can take one more task now.
  bool has_room = false;
  /// Whether the worker is idle, and so could take over tasks of other workers.
  /// Kept only if the pool has a stealing.
  bool idle = false;
  /// Whether the seats of the worker count in the pool.
  bool seated = false;
  /// Slot in a heap of the placement.
  std::uint32_t heap_slot = in_no_heap;
  /// Number of tasks in its deque or its mailbox.
  std::size_t in_flight = 0;
  /// Number of tasks in its mailbox.
  std::size_t in_mailbox = 0;
  /// Number of the last assignment to the worker, counted over all workers of
  /// the pool; 0 if it has had none.
  std::uint64_t chosen = 0;
  /// Number of its tasks that have passed their deadlines and still run.
  std::size_t hanging = 0;
  /// Decaying maximum of recent service times: each completed task first lowers
  /// it by an eighth.
  duration slowest_lately{0};
  /// Tasks that were sent and have not come back, in the order in which they
  /// were sent.
  task_list mailbox;
  /// Hook for a sorted set of the placement; not used if the placement has a
  /// heap.
  boost::intrusive::set_member_hook<> placement_hook;
  /// Kept by the placement.
  std::unique_ptr<placement_record> placed;
  /// Kept by the stealing.
  std::unique_ptr<stealing_record> booked;
  /// Tasks that are assigned and not sent, in the order in which they are sent.
  task_set deque;
  /// Hook for the set of workers that could be sent a task.
  boost::intrusive::list_member_hook<> ready_hook;
  /// Hook for the workers that rest.
  boost::intrusive::set_member_hook<> rest_hook;

  // -- if seats count ---------------------------------------------------------

  /// Number of tasks that the worker can run at once, counted by their widths;
  /// set before it joins. If the order goes by flows, seats count in place of
  /// the window.
  std::size_t seats = 1;
  /// Number of its own seats that the tasks in its mailbox take.
  std::size_t seats_taken = 0;
  /// Number of seats of the pool that the tasks in its mailbox take.
  std::size_t seats_charged = 0;
  /// Hook for the set of workers with free seats.
  boost::intrusive::set_member_hook<> room_hook;

  // -- rarely used ------------------------------------------------------------

  /// Share of the time, if the placement uses weights; zero: equal shares.
  /// Given for all workers of a pool or for none; set before the worker joins.
  duration weight{0};
  /// The worker gets no tasks before this time.
  instant rests_until = instant::min();
  /// Hook for the set of all workers.
  boost::intrusive::set_member_hook<> member_hook;

  /// Record of the handlers that have run on the worker.
  worker_record record;
};

/// Whether the task makes its worker hang: its deadline has passed, and its
/// handler still runs. Always false if the worker is a pool.
/// @pre the task is in the mailbox of a worker
inline bool hangs(const task& task) noexcept {
  return task.is == task::condition::overdue
         && task.unwanted == errc::deadline_exceeded && !task.on->is_pool;
}

/// Orders workers by the order in which they joined.
struct joined_sooner {
  /// Whether `x` joined first.
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
