#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/inline_record.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/order_queue.hpp"
#include "libpool/core/stealing_record.hpp"
#include "libpool/core/worker_number.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

struct restriction;
struct worker;

/// A task of a managed pool, as the dispatcher sees it. The submitter must keep
/// the task until the dispatcher releases it. The dispatcher writes the
/// members; policies read them.
struct task {
  /// State of a task. `unknown`: not in the dispatcher. `waiting`: not
  /// assigned. `assigned`: assigned to a worker, not sent. `sent`: in the
  /// mailbox of the worker, not begun. `running`: the handler has begun.
  /// `overdue`: settled, but the handler still runs.
  enum class condition : std::uint8_t {
    unknown,
    waiting,
    assigned,
    sent,
    running,
    overdue,
  };

  task() = default;
  task(const task&) = delete;
  task& operator=(const task&) = delete;

  // Members are grouped by use, to save cache misses while many tasks wait:
  // members for orders and deques take one or two cache lines, and members that
  // every task needs take two more.

  // -- used while the task waits, kept by the dispatcher and the order --------

  /// Hook for the deque of a worker, for an order that sorts tasks, or for the
  /// tasks that are set aside.
  boost::intrusive::set_member_hook<> place_hook;
  /// Number in the order of acceptance, from 1.
  std::uint64_t number = 0;
  /// Number of the task in recordings: `number`, unless the object stands for a
  /// later task of a lease. The place in the order always depends on `number`.
  std::uint64_t known_as = 0;
  /// Number that the next task of the lease gets in recordings.
  std::uint64_t next_number = 0;
  /// Rank, given by the order on acceptance; the task with the higher rank goes
  /// first.
  std::int64_t rank = 0;
  /// Queue of the order in which the task waits, or waited before it went to
  /// its worker; nullptr: the order has one queue for all tasks. Kept by the
  /// order.
  order_queue* queue = nullptr;
  /// Data that the order keeps for the task, from acceptance on.
  inline_record<1> ordered;
  /// Number of seats of the pool that the task takes while it is in flight.
  /// Used only if the order uses flows.
  std::size_t seats = 0;
  /// Number of seats of its worker that the task takes while it is in flight.
  /// Used only if the order uses flows.
  std::size_t seats_there = 0;
  /// Acceptance time.
  instant accepted = never;
  /// Start of the handler; `never` if the handler has not begun.
  instant started = never;
  /// Number of seats that the task needs, at least 1; default: 1. Set before
  /// the task is submitted.
  std::size_t width = 1;
  /// Flow of the task, used if the order uses flows. Set before the task is
  /// submitted.
  flow_key flow;

  // -- used when the task is sent, kept by the dispatcher ---------------------

  /// Hook for the mailbox of a worker, or for an order that does not sort
  /// tasks.
  boost::intrusive::list_member_hook<> list_hook;
  /// State of the task.
  condition is = condition::unknown;
  /// Whether the worker was asked to give the task back.
  bool recalled = false;
  /// Whether the task is set aside in the waiting room.
  bool held = false;
  /// Whether the task is set aside because the placement has no worker for it
  /// now. Such a task does not wait for particular workers.
  bool unplaced = false;
  /// Reason why the task was cancelled while at a worker; not set if the task
  /// is still wanted, for example if it was recalled to run elsewhere.
  errc unwanted{};
  /// Worker that the task is assigned to; nullptr: none.
  worker* on = nullptr;
  /// Number of workers that crashed while they ran the task, or were lost with
  /// the task.
  unsigned crashes = 0;
  /// Number of times that another worker took the task over.
  unsigned steals = 0;
  /// Start of the handler, as policies use it: the presumed start until a start
  /// is reported; `never` if there is neither.
  instant began = never;
  /// Data that the stealing keeps for the task.
  std::unique_ptr<stealing_record> booked;

  // -- set before the task is submitted ---------------------------------------

  /// Time by which the handler must have ended; `never`: no deadline.
  instant deadline = never;
  /// Workers that may run the task; nullptr: all workers.
  restriction* where = nullptr;
  /// Whether the task goes before tasks that are not urgent.
  bool urgent = false;
  /// Whether the task may be retried after it has crashed a worker.
  bool repeatable = true;

  // -- kept by the dispatcher and the placement -------------------------------

  /// Hook for the set of tasks with deadlines.
  boost::intrusive::set_member_hook<> due_hook;
  /// Data that the placement keeps for the task while the task is in flight.
  inline_record<3> placed;

  // -- set before the task is submitted, for some policies --------------------

  /// Number of the worker that has the data of the task; none: no home. With
  /// eager assignment, the task goes to its home if `where` and the placement
  /// permit it.
  std::optional<worker_number> home;
  /// Key that names the data of the task, used if the placement uses keys;
  /// none: no key.
  std::optional<std::uint64_t> key;
  /// Estimated service time of the task; none: estimated from other tasks of
  /// the same kind.
  std::optional<duration> estimate;
  /// Kind of the task; tasks of one kind take about the same time.
  std::uint64_t kind = 0;
  /// Time to move the data of the task from its home to another worker, at
  /// least 0; default: 0. Applies to workers for which `moves` has no time.
  duration move{0};
  /// Times to move the data of the task to particular workers, by worker
  /// number; nullptr: `move` applies to all workers.
  const std::vector<duration>* moves = nullptr;
  /// Trace that the task belongs to; nullptr: none.
  const std::string* trace = nullptr;
  /// Priority, used if the order uses priorities; the task with the higher
  /// priority goes first.
  std::int64_t priority = 0;
  /// Processor time that the handler used. Set before `dispatcher::finished` is
  /// called, if the placement measures processor time.
  duration cpu_time{0};

  /// Hook for the list of tasks that were never sent, or for the list of tasks
  /// in mailboxes.
  boost::intrusive::list_member_hook<> time_hook;
  /// Hook for the set of tasks that have come back and were not sent again.
  boost::intrusive::set_member_hook<> age_hook;
};

/// Returns the time to move the data of the task to the worker `to`; zero for
/// the home of the task.
inline duration move_to(const task& task, worker_number to) noexcept {
  if (task.home && *task.home == to)
    return duration{0};
  if (task.moves == nullptr)
    return task.move;
  auto i = static_cast<std::size_t>(to);
  return i < task.moves->size() ? (*task.moves)[i] : task.move;
}

/// Returns the longest time to move the data of the task to a worker.
inline duration dearest_move(const task& task) noexcept {
  auto result = task.move;
  if (task.moves != nullptr)
    for (auto each : *task.moves)
      result = std::max(result, each);
  return result;
}

/// Orders tasks by rank, the highest first, and tasks of equal rank by number,
/// the lowest first.
struct goes_before {
  /// Whether `x` goes before `y`.
  bool operator()(const task& x, const task& y) const noexcept {
    return x.rank != y.rank ? x.rank > y.rank : x.number < y.number;
  }
};

/// Sorted set of tasks, the task that goes next first.
///
/// Cost: O(log size) to add, mostly O(1) at the end; O(1) to remove.
using task_set = boost::intrusive::set<
  task, boost::intrusive::compare<goes_before>,
  boost::intrusive::member_hook<task, boost::intrusive::set_member_hook<>,
                                &task::place_hook>>;

/// List of tasks, such as the mailbox of a worker.
using task_list = boost::intrusive::list<
  task, boost::intrusive::member_hook<
          task, boost::intrusive::list_member_hook<>, &task::list_hook>>;

} // namespace libpool
