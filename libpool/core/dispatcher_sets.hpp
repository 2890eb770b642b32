#pragma once

#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

/// Sorted sets and lists in which a dispatcher keeps its tasks and workers.
/// They allocate no memory, because the links between the elements are members
/// of tasks and workers.
namespace libpool {

/// Compares tasks by the order in which the pool accepted them.
struct accepted_sooner {
  /// Whether `x` was accepted before `y`.
  bool operator()(const task& x, const task& y) const noexcept {
    return x.number < y.number;
  }
};

/// Compares tasks by the time at which the dispatcher looks at them, the
/// earliest first.
struct due_sooner {
  /// Whether `x` is due before `y`.
  bool operator()(const task& x, const task& y) const noexcept {
    return x.due < y.due;
  }
};

/// Compares tasks by the time before which they are not retried, the earliest
/// first.
struct retried_sooner {
  /// Whether the time of `x` is before the time of `y`.
  bool operator()(const task& x, const task& y) const noexcept {
    return x.not_before < y.not_before;
  }
};

/// Compares workers that get no tasks for some time, for example after a crash,
/// by the end of that time, the earliest first.
struct rested_sooner {
  /// Whether the time without tasks ends earlier for `x` than for `y`.
  bool operator()(const worker& x, const worker& y) const noexcept {
    return x.rests_until < y.rests_until;
  }
};

/// Option of Boost.Intrusive sets: the links of the set are in the member
/// `Hook` of the class `T`.
template <class T, auto Hook>
using in_set =
  boost::intrusive::member_hook<T, boost::intrusive::set_member_hook<>, Hook>;

/// Set of tasks, sorted by the order in which the pool accepted them.
using tasks_by_age =
  boost::intrusive::set<task, boost::intrusive::compare<accepted_sooner>,
                        in_set<task, &task::age_hook>>;

/// List of tasks in the order of an event, such as acceptance or sending.
using tasks_by_time = boost::intrusive::list<
  task,
  boost::intrusive::member_hook<task, boost::intrusive::list_member_hook<>,
                                &task::time_hook>,
  boost::intrusive::constant_time_size<false>>;

/// Set of tasks that are due at a time, for example at their deadlines, the
/// earliest first.
using tasks_by_due_time =
  boost::intrusive::multiset<task, boost::intrusive::compare<due_sooner>,
                             in_set<task, &task::due_hook>>;

/// Set of tasks that wait for the time of a retry, the earliest first.
using tasks_by_retry =
  boost::intrusive::multiset<task, boost::intrusive::compare<retried_sooner>,
                             in_set<task, &task::place_hook>>;

/// Set of workers, sorted by the order in which they joined the pool.
using workers_by_number =
  boost::intrusive::set<worker, boost::intrusive::compare<joined_sooner>,
                        in_set<worker, &worker::member_hook>>;

/// Set of the workers that get no tasks for some time, for example after a
/// crash, sorted by the end of that time, the earliest first.
using resting_workers =
  boost::intrusive::multiset<worker, boost::intrusive::compare<rested_sooner>,
                             in_set<worker, &worker::rest_hook>>;

/// List of workers that can be sent a task, and have tasks that were assigned
/// to them and not sent.
using ready_workers = boost::intrusive::list<
  worker, boost::intrusive::member_hook<
            worker, boost::intrusive::list_member_hook<>, &worker::ready_hook>>;

/// List of workers for which messages wait without tasks, and whose first
/// waiting message needs a task.
using lined_workers = boost::intrusive::list<
  worker, boost::intrusive::member_hook<
            worker, boost::intrusive::list_member_hook<>, &worker::line_hook>>;

} // namespace libpool
