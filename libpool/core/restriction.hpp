#pragma once

#include "libpool/core/order_queue.hpp"
#include "libpool/core/task_line.hpp"
#include "libpool/core/worker_number.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

namespace libpool {

/// Waiting tasks by the queues in which the policy keeps them. A policy that
/// does not distinguish flows has one queue. No line is empty.
using lines_by_queue = std::map<const order_queue*, task_line, std::less<>>;

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
  lines_by_queue held;
  /// Workers in `only` that became able to get tasks since a task was last
  /// held. May include a worker twice, and workers that got a task since then.
  std::vector<worker_number> freed;
  /// Whether `freed` includes all workers in `only` that can get a task.
  bool knows_freed = false;
};

/// Whether any worker may run the task: it has no restriction, or one that is
/// only a preference.
inline bool may_run_anywhere(const task& task) noexcept {
  const auto* where = task.notes().where;
  return where == nullptr || where->loose;
}

/// Whether the worker with the number `worker` is in `where.only`, the set of
/// the workers that may run certain tasks.
inline bool permits(const restriction& where, worker_number worker) noexcept {
  return std::binary_search(where.only.begin(), where.only.end(), worker);
}

} // namespace libpool
