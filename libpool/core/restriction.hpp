#pragma once

#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <functional>
#include <vector>

namespace libpool {

/// Orders tasks by queue, and the tasks of one queue by `goes_before`. An order
/// that does not go by flows has one queue.
struct stands_before {
  /// Whether `x` stands before `y`.
  bool operator()(const task& x, const task& y) const noexcept {
    return x.queue != y.queue ? std::less<>{}(x.queue, y.queue)
                              : goes_before{}(x, y);
  }

  /// Whether the queue of `x` stands before `y`.
  bool operator()(const task& x, const order_queue* y) const noexcept {
    return std::less<>{}(x.queue, y);
  }

  /// Whether `x` stands before the queue of `y`.
  bool operator()(const order_queue* x, const task& y) const noexcept {
    return std::less<>{}(x, y.queue);
  }
};

/// Tasks that wait for a worker, sorted by queue.
using task_set_by_queue = boost::intrusive::set<
  task, boost::intrusive::compare<stands_before>,
  boost::intrusive::member_hook<task, boost::intrusive::set_member_hook<>,
                                &task::place_hook>>;

/// The workers that some tasks may run on. Tasks that may run on the same
/// workers should share one restriction: tasks that cannot run now wait here,
/// and cost nothing until one of the workers has room. The creator of a
/// restriction keeps it until the last of its tasks is released.
struct restriction {
  restriction() = default;
  restriction(const restriction&) = delete;
  restriction& operator=(const restriction&) = delete;

  // -- set before a task of it is submitted -----------------------------------

  /// Numbers of the workers, ascending and unique. May include workers that
  /// have not joined yet.
  std::vector<worker_number> only;
  /// Whether this is a preference: if none of the workers can take a task, any
  /// other worker can.
  bool loose = false;
  /// Whether workers may be added to `only` and removed from it, see
  /// `dispatcher::changed`. If so, `only` may be empty, and tasks wait for a
  /// worker to be added.
  bool open = false;

  // -- kept by the dispatcher -------------------------------------------------

  /// Tasks that wait for one of these workers.
  task_set_by_queue held;
};

/// Whether `where` names `worker`.
inline bool permits(const restriction& where, worker_number worker) noexcept {
  return std::binary_search(where.only.begin(), where.only.end(), worker);
}

} // namespace libpool
