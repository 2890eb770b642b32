#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/nodes/stealing_protocol.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace libpool {

/// A node's end of the protocol by which tasks are stolen from its queue (see
/// stealing_protocol.hpp): it runs the tasks that it is sent, and gives away
/// tasks that have not begun, from the end of its queue, since these would wait
/// longest.
///
/// Cost:    O(1) per task; a handler that ends costs O(handlers that run).
/// Threads: one at a time.
/// Errors:  the end of a handler that was not begun changes nothing.
class node_side {
public:
  // -- facts ------------------------------------------------------------------

  /// A message from the pool has arrived.
  void told(const node_message& received);

  /// A handler has ended.
  void finished(task_number task, ending how);

  /// The task, which was to begin, has not, and is the owner's.
  /// Returns false if it is none of the pool's any more.
  bool withdrawn(task_number task);

  /// Takes those of the tasks that wait out of the queue. Returns them.
  ///
  /// Cost: O(queue), and O(tasks log tasks).
  std::vector<task_number> forget(std::vector<task_number> tasks);

  /// The pool is out of reach, and has disposed of the node's tasks: the node
  /// begins and tells nothing any more. For good.
  void cut_off() noexcept;

  // -- questions --------------------------------------------------------------

  /// The next task, whose handler begins now; empty if no task waits.
  std::optional<task_number> start();

  /// Waits, the next one first.
  const std::deque<task_number>& queue() const noexcept {
    return queue_;
  }

  /// Has begun and not ended.
  const std::vector<task_number>& running() const noexcept {
    return running_;
  }

  /// The messages to send to the pool, in this order; the caller clears them.
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
