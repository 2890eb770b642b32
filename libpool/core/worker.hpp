#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/joint_run.hpp"
#include "libpool/core/stealing_record.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/task_line.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"

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
  /// Number of handler runs that ended with a crash, with the loss of a node,
  /// or with an error after which the task was retried.
  std::uint64_t failed = 0;
  /// Sum of the times from the acceptance of a task to the start of its
  /// handler.
  duration waited{0};
  /// Sum of the times from the start of a handler to its end.
  duration busy{0};
  /// Longest time from the start of a handler to its end.
  duration slowest{0};
  /// Number of tasks that the worker (or any of the workers) took over from
  /// another worker.
  std::uint64_t stolen = 0;

  /// Adds a handler run. `wait`: time from acceptance to start. `service`: time
  /// from start to end. `ending`: how the run ended.
  void note(duration wait, duration service, ending ending) noexcept {
    waited += wait;
    busy += service;
    slowest = std::max(slowest, service);
    if (ending != ending::interrupted)
      ++(ending == ending::completed ? completed : failed);
  }
};

/// Base class of the data that a placement, the part of a policy that chooses
/// workers, keeps for a worker.
struct LIBPOOL_EXPORT placement_record {
  placement_record() = default;
  placement_record(const placement_record&) = delete;
  placement_record& operator=(const placement_record&) = delete;
  virtual ~placement_record() = default;
};

/// A worker of a managed pool, as its `dispatcher` sees it. The creator must
/// keep the worker until the dispatcher makes the decision `dismiss` about it.
/// The dispatcher writes the members; policies read them.
struct worker {
  /// State of a worker. `unknown`: not in the dispatcher. `serving`: the worker
  /// gets tasks. `leaving`: the worker was removed from the pool, and is
  /// forgotten when the tasks that it has begun have ended. `gone`: the worker
  /// has ended, and is forgotten when all its tasks have come back.
  enum class condition : std::uint8_t { unknown, serving, leaving, gone };

  /// Value of `heap_slot` for a worker that is not in a heap of the placement.
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
  /// included, without tasks that were sent together with an earlier one
  /// (`task::follows`); default: 1.
  std::size_t window = 1;
  /// Whether the worker is a pool with workers of its own. Such a worker still
  /// gets tasks if one of its own workers crashes, or runs a task past its
  /// deadline.
  bool is_pool = false;
  /// Whether the worker is a pool that has no workers and expects none. A task
  /// that may run only on such workers fails.
  bool has_nobody = false;
  /// Whether several tasks may be sent to the worker together (a lease). Such a
  /// worker has a window of 1 and handles one task at a time. Default: false.
  bool takes_leases = false;

  // -- kept by the dispatcher -------------------------------------------------

  /// State of the worker.
  condition is = condition::unknown;
  /// Whether the worker gets no tasks for a moment, so that other workers can
  /// run on its thread.
  bool pauses = false;
  /// Whether a user has paused the worker, so that it gets no tasks until it is
  /// resumed.
  bool suspended = false;
  /// Whether the worker has no room, and each task in its mailbox waits for
  /// other tasks of the pool: tasks that its handler has asked for, or tasks
  /// that the worker has asked for since handlers began, at least one for each
  /// begun task of which nothing else is known. Such a worker gets no tasks.
  bool waits = false;
  /// Whether the placement, the part of the policy that chooses workers, may
  /// choose the worker now.
  bool offered = false;
  /// Whether the worker can be sent one more task now.
  bool has_room = false;
  /// Whether the worker has no tasks and could begin one at once, so that it
  /// can take over tasks of other workers. Kept only with work stealing.
  bool idle = false;
  /// Whether the end of another task of the worker is told next, before any
  /// worker is chosen.
  bool ends_follow = false;
  /// Whether the seats of the worker (places for tasks) count as seats of the
  /// pool. False while the worker cannot get tasks, for example after a crash.
  bool seated = false;
  /// Index of the worker in the heap by which a policy sorts workers;
  /// `in_no_heap`: not in a heap.
  std::uint32_t heap_slot = in_no_heap;
  /// Number of tasks that are assigned to the worker or were sent to it, and
  /// have not ended, as far as their ends were reported.
  std::size_t in_flight = 0;
  /// Number of tasks in the mailbox of the worker, the running task included.
  std::size_t in_mailbox = 0;
  /// Whether the worker has hung at some time.
  bool overran = false;
  /// Number of the last assignment of a task to the worker, counted from 1 over
  /// all assignments of the pool; 0: no assignment yet.
  std::uint64_t chosen = 0;
  /// Number of open tasks that some task of the worker, unknown which, waits
  /// for (`task::asking`).
  std::size_t awaited = 0;
  /// Number of tasks of the worker that have passed their deadlines or reached
  /// the time limit, and still run.
  std::size_t hanging = 0;
  /// Longest recent service time: each completed task first lowers the value by
  /// an eighth, then raises it to the service time of the task if that is
  /// longer.
  duration slowest_lately{0};
  /// Tasks that were sent to the worker and have not come back, in the order in
  /// which they were sent.
  task_list mailbox;
  /// Number of tasks in the mailbox that were sent together with the task
  /// before them, and whose turn has not come (`task::follows`).
  std::size_t followers = 0;
  /// Time after which the worker should begin no follower of the tasks that
  /// were last sent to it together, but give the followers back.
  instant leased_until = instant::min();
  /// Time at which these followers are taken back, because an earlier task
  /// takes long; `never`: the worker was asked to give them back.
  instant overdue_at = instant::min();
  /// Links of the worker in the list of workers with followers.
  boost::intrusive::list_member_hook<> lease_hook;
  /// Links of the worker in the sorted set of a placement, the part of a policy
  /// that chooses workers; not used if the placement has a heap.
  boost::intrusive::set_member_hook<> placement_hook;
  /// Data that the placement, the part of the policy that chooses workers,
  /// keeps for the worker; nullptr: none.
  std::unique_ptr<placement_record> placed;
  /// Data of the work stealing policy about the worker; nullptr: none, for
  /// example without work stealing.
  std::unique_ptr<stealing_record> booked;
  /// Tasks that are assigned to the worker and not sent, in the order in which
  /// they will be sent.
  task_line deque;
  /// Links of the worker in the list of workers that can be sent a task, and
  /// have tasks that are assigned to them and not sent.
  boost::intrusive::list_member_hook<> ready_hook;
  /// Links of the worker in the set of workers that get no tasks for some time,
  /// for example after a crash.
  boost::intrusive::set_member_hook<> rest_hook;

  // -- used if the order uses flows -------------------------------------------

  /// Number of seats: the maximum sum of the widths of the tasks that the
  /// worker runs at once; default: 1. Set before the worker joins. If the
  /// policy divides the pool among flows, `seats` limits the tasks of the
  /// worker, instead of `window`.
  std::size_t seats = 1;
  /// Number of seats of the worker (places for tasks) that the tasks in its
  /// mailbox take.
  std::size_t seats_taken = 0;
  /// Number of seats of the whole pool that the tasks in the mailbox of the
  /// worker take. A task can take more seats of the pool than its worker has.
  std::size_t seats_charged = 0;
  /// Links of the worker in the set of workers that may be chosen, sorted by
  /// their free seats (places for tasks).
  boost::intrusive::set_member_hook<> room_hook;

  // -- rarely used ------------------------------------------------------------

  /// Relative share of the tasks that the worker should get, as a time; used
  /// only by policies with weights. Zero: equal shares. Set before the worker
  /// joins, for all workers of a pool or for none.
  duration weight{0};
  /// Time before which the worker gets no tasks, for example after a crash.
  instant rests_until = instant::min();
  /// Links of the worker in the set of all workers.
  boost::intrusive::set_member_hook<> member_hook;

  /// Statistics of the handlers that have run on the worker.
  worker_record record;
};

/// Whether the task makes its worker hang: the deadline of the task has passed,
/// or its handler has reached the time limit, the handler still runs, and no
/// other task waits for its end.
/// Always false if the worker is a pool.
/// @pre the task is in the mailbox of a worker
inline bool hangs(const task& task) noexcept {
  return task.is == task::condition::overdue && !task.on->is_pool
         && !has_joiners(task)
         && (task.cancel_reason == errc::deadline_exceeded
             || task.cancel_reason == errc::time_limit);
}

/// Compares workers by number, which is the order in which they joined.
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
