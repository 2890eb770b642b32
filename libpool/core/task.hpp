#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <cstdint>

namespace libpool {

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

  // -- set before it is submitted ---------------------------------------------

  /// Goes before those that are not.
  bool urgent = false;
  /// Whether it may run again after it has crashed a worker.
  bool repeatable = true;
  instant deadline = never;

  // -- kept by the dispatcher -------------------------------------------------

  condition is = condition::unknown;
  /// Whether the worker has been asked to give it back.
  bool recalled = false;
  /// Why it is recalled, unless it is to run elsewhere.
  errc unwanted{};
  /// How many workers it has crashed.
  unsigned crashes = 0;
  /// Counts accepted tasks, from 1.
  std::uint64_t number = 0;
  worker* on = nullptr;
  instant accepted = never;
  instant started = never;

  // -- where it is linked -----------------------------------------------------

  /// In a deque, or in an order that sorts.
  boost::intrusive::set_member_hook<> place_hook;
  /// Among those that are not sent, by age.
  boost::intrusive::set_member_hook<> age_hook;
  /// Among those with a deadline.
  boost::intrusive::set_member_hook<> due_hook;
  /// In the mailbox of a worker, or in an order that does not sort.
  boost::intrusive::list_member_hook<> list_hook;
};

/// Whether its worker gets nothing more because of it: it has passed its
/// deadline, and does not end.
inline bool hangs(const task& what) noexcept {
  return what.is == task::condition::overdue
         && what.unwanted == errc::deadline_exceeded;
}

/// Orders tasks by age, urgent ones first.
struct urgent_then_older {
  bool operator()(const task& x, const task& y) const noexcept {
    return x.urgent != y.urgent ? x.urgent : x.number < y.number;
  }
};

/// Tasks that wait somewhere, the next one first.
///
/// Cost: O(log size) to add, mostly O(1) at the end; O(1) to take out.
using task_set = boost::intrusive::set<
  task, boost::intrusive::compare<urgent_then_older>,
  boost::intrusive::member_hook<task, boost::intrusive::set_member_hook<>,
                                &task::place_hook>>;

using task_list = boost::intrusive::list<
  task, boost::intrusive::member_hook<
          task, boost::intrusive::list_member_hook<>, &task::list_hook>>;

} // namespace libpool
