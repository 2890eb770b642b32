#pragma once

#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <functional>
#include <vector>

namespace libpool {

/// Compares waiting tasks, first by the queue in which the policy keeps them,
/// then by rank and order of acceptance (`goes_before`). A policy that does not
/// distinguish flows has one queue.
struct stands_before {
  /// Whether `x` comes before `y`, by queue, then by rank and order of
  /// acceptance.
  bool operator()(const task& x, const task& y) const noexcept {
    return x.queue != y.queue ? std::less<>{}(x.queue, y.queue)
                              : goes_before{}(x, y);
  }

  /// Whether the queue of the task `x` comes before the queue `y`. Queues are
  /// compared by address.
  bool operator()(const task& x, const order_queue* y) const noexcept {
    return std::less<>{}(x.queue, y);
  }

  /// Whether the queue `x` comes before the queue of the task `y`. Queues are
  /// compared by address.
  bool operator()(const order_queue* x, const task& y) const noexcept {
    return std::less<>{}(x, y.queue);
  }
};

/// Set of waiting tasks, sorted by the queues in which the policy keeps them,
/// then by rank and order of acceptance.
using task_set_by_queue = boost::intrusive::set<
  task, boost::intrusive::compare<stands_before>,
  boost::intrusive::member_hook<task, boost::intrusive::set_member_hook<>,
                                &task::place_hook>>;

/// Set of the workers that may run certain tasks. Tasks that may run on the
/// same workers should share one object: tasks that none of these workers can
/// take now wait in it at no cost until one of the workers has room. The
/// creator must keep the object until the last of its tasks is released.
struct restriction {
  restriction() = default;
  restriction(const restriction&) = delete;
  restriction& operator=(const restriction&) = delete;

  // -- set before the first task with the restriction is submitted ------------

  /// Numbers of the workers that may run the tasks, ascending and unique. May
  /// include workers that have not joined yet.
  std::vector<worker_number> only;
  /// Whether the restriction is only a preference: if none of its workers can
  /// take a task, any other worker may take the task.
  bool loose = false;
  /// Whether `only` may be changed by `dispatcher::changed`. If so, `only` may
  /// be empty, and tasks wait until a worker is added.
  bool open = false;

  // -- kept by the dispatcher -------------------------------------------------

  /// Tasks that wait until one of the workers in `only` can get a task.
  task_set_by_queue held;
  /// Workers in `only` that became able to get tasks since a task was last
  /// held. May include a worker twice, and workers that got a task since then.
  std::vector<worker_number> freed;
  /// Whether `freed` includes all workers in `only` that can get a task.
  bool knows_freed = false;
};

/// Whether the worker with the number `worker` is in `where.only`, the set of
/// the workers that may run certain tasks.
inline bool permits(const restriction& where, worker_number worker) noexcept {
  return std::binary_search(where.only.begin(), where.only.end(), worker);
}

} // namespace libpool
