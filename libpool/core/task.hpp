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

/// One message in a pool, as the dispatcher sees it. The submitter keeps the
/// task until the dispatcher releases it. The dispatcher writes, policies read.
struct task {
  /// `unknown`: not in the dispatcher. `waiting`: not assigned. `assigned`:
  /// assigned to a worker, not sent. `sent`: in the mailbox of the worker.
  /// `running`: its handler has begun. `overdue`: settled, but its handler
  /// still runs.
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

  // Members are grouped by their readers, since many tasks may wait: members
  // that orders and deques use are on a cache line or two, and members that
  // each task needs on two more.

  // -- used while it waits, kept by the dispatcher and the order --------------

  /// Hook for a deque, for an order that sorts, or for the tasks that are set
  /// aside.
  boost::intrusive::set_member_hook<> place_hook;
  /// Number in the order of acceptance, from 1.
  std::uint64_t number = 0;
  /// Number in recordings: `number`, unless the task stands for another task of
  /// its lease. In the order it keeps the place of `number`.
  std::uint64_t known_as = 0;
  /// Number in recordings of the next task of its lease.
  std::uint64_t next_number = 0;
  /// Given by the order on acceptance; the higher rank goes first.
  std::int64_t rank = 0;
  /// Queue in which the task waits, or waited before it went to its worker;
  /// nullptr: the order has one queue for all tasks. Kept by the order.
  order_queue* queue = nullptr;
  /// The record that the order keeps of the task, from acceptance on.
  inline_record<1> ordered;
  /// Seats of the pool that the task takes while it is in flight, if seats
  /// count.
  std::size_t seats = 0;
  /// Seats of its worker that the task takes there, if seats count.
  std::size_t seats_there = 0;
  /// Time of acceptance.
  instant accepted = never;
  /// Start of the handler; `never` if it has not begun.
  instant started = never;
  /// Number of seats that the task takes, at least 1; set before it is
  /// submitted.
  std::size_t width = 1;
  /// Flow of the task, if the order goes by flows; set before it is submitted.
  flow_key flow;

  // -- used when it is sent, kept by the dispatcher ---------------------------

  /// Hook for the mailbox of a worker, or for an order that does not sort.
  boost::intrusive::list_member_hook<> list_hook;
  /// State of the task.
  condition is = condition::unknown;
  /// Whether the worker has been asked to give the task back.
  bool recalled = false;
  /// Whether the task is set aside in the waiting room, for particular workers
  /// or because it is `unplaced`.
  bool held = false;
  /// Whether the task is set aside until the placement has a worker for it.
  bool unplaced = false;
  /// Reason why the task is not wanted any more while it is at a worker; not
  /// set if it is still wanted, for example if it is recalled to run elsewhere.
  errc unwanted{};
  /// Worker that the task is assigned to; nullptr: none.
  worker* on = nullptr;
  /// Number of workers that the task has crashed.
  unsigned crashes = 0;
  /// Number of times that another worker took the task over.
  unsigned steals = 0;
  /// Start of the handler as far as policies were told: reported, or presumed.
  instant began = never;
  /// Kept by the stealing.
  std::unique_ptr<stealing_record> booked;

  // -- set before it is submitted ---------------------------------------------

  /// Time by which the task must have ended; `never`: none.
  instant deadline = never;
  /// Workers that may run the task; nullptr: all workers.
  restriction* where = nullptr;
  /// Whether the task goes before tasks that are not urgent.
  bool urgent = false;
  /// Whether the task may be retried after it has crashed a worker.
  bool repeatable = true;

  // -- kept by the dispatcher and the placement -------------------------------

  /// Hook for the tasks with a deadline.
  boost::intrusive::set_member_hook<> due_hook;
  /// The record that the placement keeps of the task while it is in flight.
  inline_record<3> placed;

  // -- set before it is submitted, for some policies --------------------------

  /// The worker that has the data of the task; none: no home. With eager
  /// assignment, the task goes there first, unless `where` forbids it.
  std::optional<worker_number> home;
  /// Key of the task, if the placement uses keys. Tasks of one key belong
  /// together.
  std::optional<std::uint64_t> key;
  /// Known service time of the task; none: as long as other tasks of its kind.
  std::optional<duration> estimate;
  /// Kind of the task. Tasks of one kind take about the same time.
  std::uint64_t kind = 0;
  /// Time that it takes to move the data of the task away from its home, at
  /// least 0. Applies to the workers for which `moves` has no time.
  duration move{0};
  /// Times for particular workers, by number; nullptr: `move` applies to all
  /// workers.
  const std::vector<duration>* moves = nullptr;
  /// Trace that the task belongs to; nullptr: not known.
  const std::string* trace = nullptr;
  /// The higher priority goes first, if the order uses priorities.
  std::int64_t priority = 0;
  /// Processor time that the handler used; set before the handler is reported
  /// as finished, if the placement measures processor time.
  duration cpu_time{0};

  /// Hook for the tasks that have never been sent, or for the tasks in
  /// mailboxes.
  boost::intrusive::list_member_hook<> time_hook;
  /// Hook for the tasks that have come back and are not sent again.
  boost::intrusive::set_member_hook<> age_hook;
};

/// Returns the time that it takes to move the data of the task to the worker
/// `to`.
inline duration move_to(const task& task, worker_number to) noexcept {
  if (task.home && *task.home == to)
    return duration{0};
  if (task.moves == nullptr)
    return task.move;
  auto i = static_cast<std::size_t>(to);
  return i < task.moves->size() ? (*task.moves)[i] : task.move;
}

/// Returns the longest time that it takes to move the data of the task.
inline duration dearest_move(const task& task) noexcept {
  auto result = task.move;
  if (task.moves != nullptr)
    for (auto each : *task.moves)
      result = std::max(result, each);
  return result;
}

/// Orders tasks by rank, the highest first; tasks of equal rank by age, the
/// oldest first.
struct goes_before {
  /// Whether `x` goes before `y`.
  bool operator()(const task& x, const task& y) const noexcept {
    return x.rank != y.rank ? x.rank > y.rank : x.number < y.number;
  }
};

/// Tasks that wait in one place, the next one first.
///
/// Cost: O(log size) to add, mostly O(1) at the end; O(1) to remove.
using task_set = boost::intrusive::set<
  task, boost::intrusive::compare<goes_before>,
  boost::intrusive::member_hook<task, boost::intrusive::set_member_hook<>,
                                &task::place_hook>>;

/// List of tasks; the mailbox of a worker is one.
using task_list = boost::intrusive::list<
  task, boost::intrusive::member_hook<
          task, boost::intrusive::list_member_hook<>, &task::list_hook>>;

} // namespace libpool
