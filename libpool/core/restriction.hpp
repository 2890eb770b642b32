#pragma once

#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <functional>
#include <vector>

namespace libpool {

/// Orders tasks by queue, and the tasks of one queue by `goes_before`. An order
/// that does not use flows has one queue.
struct stands_before {
  /// Whether `x` comes before `y`.
  bool operator()(const task& x, const task& y) const noexcept {
    return x.queue != y.queue ? std::less<>{}(x.queue, y.queue)
                              : goes_before{}(x, y);
  }

  /// Whether the queue of `x` comes before the queue `y`.
  bool operator()(const task& x, const order_queue* y) const noexcept {
    return std::less<>{}(x.queue, y);
  }

  /// Whether the queue `x` comes before the queue of `y`.
  bool operator()(const order_queue* x, const task& y) const noexcept {
    return std::less<>{}(x, y.queue);
  }
};

/// Set of waiting tasks, sorted by the queues of the order.
using task_set_by_queue = boost::intrusive::set<
  task, boost::intrusive::compare<stands_before>,
  boost::intrusive::member_hook<task, boost::intrusive::set_member_hook<>,
                                &task::place_hook>>;

/// The set of workers that may run certain tasks. Tasks that may run on the
/// same workers should share one restriction: tasks that cannot run now wait in
/// the restriction at no cost until one of the workers has room. The creator of
/// a restriction must keep it until the last of its tasks is released.
struct restriction {
  restriction() = default;
  restriction(const restriction&) = delete;
  restriction& operator=(const restriction&) = delete;

  // -- set before the first task with the restriction is submitted ------------

  /// Numbers of the workers, ascending and unique. May include workers that
  /// have not joined yet.
  std::vector<worker_number> only;
  /// Whether the restriction is only a preference: if none of its workers can
  /// take a task, any other worker may take the task.
  bool loose = false;
  /// Whether `only` may change, see `dispatcher::changed`. If so, `only` may be
  /// empty, and tasks wait until a worker is added.
  bool open = false;

  // -- kept by the dispatcher -------------------------------------------------

  /// Tasks that wait until one of the workers in `only` is offered.
  task_set_by_queue held;
};

/// Whether `where` names `worker`.
inline bool permits(const restriction& where, worker_number worker) noexcept {
  return std::binary_search(where.only.begin(), where.only.end(), worker);
}

} // namespace libpool
