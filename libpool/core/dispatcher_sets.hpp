#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/task_heap.hpp"
#include "libpool/core/worker.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <cstdint>

/// Sorted sets, heaps and lists in which a dispatcher keeps its tasks and
/// workers. Links and indices are members of tasks and workers, so that an
/// element can be removed from any place.
namespace libpool {

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

/// Tasks by the order in which the pool accepted them.
using tasks_by_age = task_heap<std::uint64_t, &task::age_slot>;

/// Tasks that are due at a time, for example at their deadlines, the earliest
/// first.
using tasks_by_due_time = task_heap<instant, &task::due_slot>;

/// Tasks that wait for the time of a retry, the earliest first.
using tasks_by_retry = task_heap<instant, &task::line_slot>;

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

/// List of workers that were sent several tasks together, in the order in which
/// they were sent.
using leased_workers = boost::intrusive::list<
  worker, boost::intrusive::member_hook<
            worker, boost::intrusive::list_member_hook<>, &worker::lease_hook>>;

} // namespace libpool
