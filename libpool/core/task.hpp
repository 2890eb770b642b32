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

/// One message on its way through a pool, as the dispatcher sees it. Whoever
/// submits it keeps it until the dispatcher releases it; the dispatcher writes,
/// policies read.
struct task {
  /// `waiting`: in the pool. `assigned`: bound to a worker, still in the pool.
  /// `sent`: in the worker's mailbox. `running`: its handler has begun.
  /// `overdue`: settled, but its handler still runs.
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

  // Grouped by their readers, since many tasks may wait: what orders and deques
  // go by is on a cache line or two, and what each task needs on two more.

  // -- by which it waits, kept by the dispatcher and the order ----------------

  /// In a deque, in an order that sorts, or held.
  boost::intrusive::set_member_hook<> place_hook;
  /// In the order in which tasks were accepted, from 1.
  std::uint64_t number = 0;
  /// Its number in recordings: `number`, unless it stands for another task that
  /// it led before, whose place it keeps.
  std::uint64_t known_as = 0;
  /// The number in recordings of the next one of the tasks that it leads.
  std::uint64_t next_number = 0;
  /// Given by the order when it is accepted: the higher goes first.
  std::int64_t rank = 0;
  /// Where it waits, or has waited before it went to its worker; nullptr: the
  /// order has one queue for all. Kept by the order.
  order_queue* queue = nullptr;
  /// The record that the order keeps of it, from the time when it is accepted.
  inline_record<1> ordered;
  /// Of the pool, that it takes while it is in flight, where seats are counted.
  std::size_t seats = 0;
  /// Of its worker, that it takes there.
  std::size_t seats_there = 0;
  instant accepted = never;
  instant started = never;
  /// How many seats it takes, at least 1, and whose it is, where the order goes
  /// by flows; set before it is submitted.
  std::size_t width = 1;
  flow_key flow;

  // -- by which it goes, kept by the dispatcher -------------------------------

  /// In the mailbox of a worker, or in an order that does not sort.
  boost::intrusive::list_member_hook<> list_hook;
  condition is = condition::unknown;
  /// Whether the worker has been asked to give it back.
  bool recalled = false;
  /// Whether it waits in the waiting room: for particular workers, or, if it is
  /// unplaced, until the placement has one for it.
  bool held = false;
  bool unplaced = false;
  /// Why it is recalled, unless it is to run elsewhere.
  errc unwanted{};
  worker* on = nullptr;
  /// How many workers it has crashed.
  unsigned crashes = 0;
  /// How often it was taken over by another worker.
  unsigned steals = 0;
  /// When the placement was told that it begins; told or presumed.
  instant began = never;
  /// Kept by the stealing.
  std::unique_ptr<stealing_record> booked;

  // -- set before it is submitted ---------------------------------------------

  instant deadline = never;
  /// On which workers it may run; nullptr: on all.
  restriction* where = nullptr;
  /// Goes before tasks that are not urgent.
  bool urgent = false;
  /// Whether it may run again after it has crashed a worker.
  bool repeatable = true;

  // -- kept by the dispatcher and the placement -------------------------------

  /// Among the tasks with a deadline.
  boost::intrusive::set_member_hook<> due_hook;
  /// The record that the placement keeps of it, while it is in flight.
  inline_record<3> placed;

  // -- set before it is submitted, for some policies --------------------------

  /// Where its data is: goes there first where tasks are bound at once, unless
  /// `where` says otherwise.
  std::optional<worker_number> home;
  /// Tasks of one key belong together, where the placement is one of keys.
  std::optional<std::uint64_t> key;
  /// The time that it is known to take; none: as long as others of its kind.
  std::optional<duration> estimate;
  std::uint64_t kind = 0;
  /// The time that it takes to move its data away from home, or to each worker,
  /// by number, where that differs. Never below zero.
  duration move{0};
  const std::vector<duration>* moves = nullptr;
  /// The trace that it belongs to, if it is known.
  const std::string* trace = nullptr;
  /// The higher goes first, where the order is one of priority.
  std::int64_t priority = 0;
  /// The processor time that its handler used; told before it has finished, if
  /// the placement measures that.
  duration cpu_time{0};

  /// Among the tasks that are not sent and have never been, or among those that
  /// are in mailboxes.
  boost::intrusive::list_member_hook<> time_hook;
  /// Among the tasks that are not sent, but have been.
  boost::intrusive::set_member_hook<> age_hook;
};

/// The time that it takes to move the data of the task to that worker.
inline duration move_to(const task& task, worker_number to) noexcept {
  if (task.home && *task.home == to)
    return duration{0};
  if (task.moves == nullptr)
    return task.move;
  auto i = static_cast<std::size_t>(to);
  return i < task.moves->size() ? (*task.moves)[i] : task.move;
}

/// The most that any move takes.
inline duration dearest_move(const task& task) noexcept {
  auto result = task.move;
  if (task.moves != nullptr)
    for (auto each : *task.moves)
      result = std::max(result, each);
  return result;
}

/// Orders tasks by rank, the older first within.
struct goes_before {
  bool operator()(const task& x, const task& y) const noexcept {
    return x.rank != y.rank ? x.rank > y.rank : x.number < y.number;
  }
};

/// Tasks that wait somewhere, the next one first.
///
/// Cost: O(log size) to add, mostly O(1) at the end; O(1) to take out.
using task_set = boost::intrusive::set<
  task, boost::intrusive::compare<goes_before>,
  boost::intrusive::member_hook<task, boost::intrusive::set_member_hook<>,
                                &task::place_hook>>;

using task_list = boost::intrusive::list<
  task, boost::intrusive::member_hook<
          task, boost::intrusive::list_member_hook<>, &task::list_hook>>;

} // namespace libpool
