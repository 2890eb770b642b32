#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/nodes/stealing_protocol.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace libpool {

/// A node's end of the protocol for stealing tasks from its queue, see
/// stealing_protocol.hpp. It runs the tasks that it gets, and gives tasks that
/// have not begun away from the end of its queue, since these would wait
/// longest.
///
/// Cost:    O(1) for each task; O(running handlers) for the end of a handler.
/// Threads: one at a time.
/// Errors:  the end of a handler that has not begun is ignored.
class node_side {
public:
  // -- facts ------------------------------------------------------------------

  /// Notes a message from the pool.
  void told(const node_message& received);

  /// Notes the end of a handler.
  void finished(task_number task, ending how);

  /// Notes that a started task has not begun, and removes it. Returns false if
  /// the task does not belong to the pool any more.
  bool withdrawn(task_number task);

  /// Removes those of the tasks from the queue that wait, and returns them.
  ///
  /// Cost: O(queue), and O(tasks log tasks).
  std::vector<task_number> forget(std::vector<task_number> tasks);

  /// Notes that the pool is unreachable and has settled or retried the tasks of
  /// the node. The node begins and reports nothing from now on.
  void cut_off() noexcept;

  // -- questions --------------------------------------------------------------

  /// Returns the next task, whose handler begins now; unset if no task waits.
  std::optional<task_number> start();

  /// Waiting tasks, the next one first.
  const std::deque<task_number>& queue() const noexcept {
    return queue_;
  }

  /// Tasks that have begun and not ended.
  const std::vector<task_number>& running() const noexcept {
    return running_;
  }

  /// Messages for the pool, in this order. The caller clears the list.
  std::vector<pool_message>& messages() noexcept {
    return messages_;
  }

private:
  void take(const tasks_sent& sent);
  void take(const steal_request& request);

  std::deque<task_number> queue_;
  std::vector<task_number> running_;
  std::vector<pool_message> messages_;
  bool is_cut_off_ = false;
};

} // namespace libpool
