#pragma once

#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <functional>
#include <vector>

namespace libpool {

/// Orders tasks so that the tasks of one queue stand together, the next one
/// first. An order that does not go by flows has one queue.
struct stands_before {
  bool operator()(const task& x, const task& y) const noexcept {
    return x.queue != y.queue ? std::less<>{}(x.queue, y.queue)
                              : goes_before{}(x, y);
  }

  bool operator()(const task& x, const order_queue* y) const noexcept {
    return std::less<>{}(x.queue, y);
  }

  bool operator()(const order_queue* x, const task& y) const noexcept {
    return std::less<>{}(x, y.queue);
  }
};

/// Tasks that wait for a worker, by their queues.
using task_set_by_queue = boost::intrusive::set<
  task, boost::intrusive::compare<stands_before>,
  boost::intrusive::member_hook<task, boost::intrusive::set_member_hook<>,
                                &task::place_hook>>;

/// The workers that some tasks may run on. Tasks that may run on the same ones
/// should share it: tasks that cannot run now wait here, and cost nothing until
/// one of the workers has room. Whoever makes it keeps it until the last of its
/// tasks is released.
struct restriction {
  restriction() = default;
  restriction(const restriction&) = delete;
  restriction& operator=(const restriction&) = delete;

  // -- set before a task of it is submitted -----------------------------------

  /// Ascending, each once. Workers that have not joined may come yet.
  std::vector<worker_number> only;
  /// Whether this is a wish: with none of them there, any will do.
  bool loose = false;
  /// Whether workers may be added to `only`, which may be empty, and taken out,
  /// see `dispatcher::changed`: its tasks wait for that.
  bool open = false;

  // -- kept by the dispatcher -------------------------------------------------

  /// The tasks that wait for one of these workers.
  task_set_by_queue held;
};

/// Whether a task of `where` may run on `worker`, if it has the choice.
inline bool permits(const restriction& where, worker_number worker) noexcept {
  return std::binary_search(where.only.begin(), where.only.end(), worker);
}

} // namespace libpool
