#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace libpool {

/// Number of a task of one pool. A number is never used again.
enum class task_number : std::uint64_t {};

/// Number of a request of one pool, from 1. A number is never used again, so
/// that an answer to a request that is over is not taken for another answer.
enum class request_number : std::uint64_t {};

// Work stealing between nodes: workers with their own queues. The pool cannot
// see whether a task that it has sent has begun. It therefore asks for tasks,
// and the node gives tasks away that it has not begun, or refuses. Both ends
// are state machines: `pool_side` and `node_side`.
//
//     message        from   to     effect
//     tasks_sent     pool   node   the tasks join the end of its queue
//     steal_request  pool   node   answered immediately by one of the next two
//     steal_granted  node   pool   in time: the tasks are sent to the thief;
//                                  late: the pool has the tasks
//     steal_refused  node   pool   in time: the request is over; late: none
//     task_done      node   pool   the task is settled, or retried
//
// A task has one owner: the pool, a message, the queue of a node, or a handler.
// A message owns the tasks that it carries, also in the case of `task_done`.
// Further acknowledgements are not needed, since messages are lost only when a
// node is lost: `task_done` or `steal_granted` acknowledges `tasks_sent`, and a
// node that has sent a message forgets its content.
//
//     a request is    until
//     open            it is answered, its deadline passes, or the thief or the
//                     victim is lost; the thief is reserved meanwhile
//     over            for ever: an answer that comes now is a late one
//
// A task that was sent to a node that is lost, and that the node neither
// finished nor granted as far as the pool knows, counts as begun. It fails, or
// is retried if retries are allowed. Therefore no task runs twice unless this
// is allowed, and each task is settled.
//
// Messages may overtake each other, but are not duplicated. A lost node stays
// lost, and comes back under another number.
//
// Source: transactional work stealing in Dask.distributed.

/// Tasks to run, in this order.
struct tasks_sent {
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
};

/// Request to give away at most `max` tasks that have not begun, for `thief`.
struct steal_request {
  /// Number of the request.
  request_number id{};
  /// Node that gets the tasks.
  worker_number thief{};
  /// Maximum number of tasks.
  std::size_t max = 1;
};

/// Tasks that were given away, and that the node no longer has.
struct steal_granted {
  /// Number of the request.
  request_number id{};
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
};

/// The node has no task to give away.
struct steal_refused {
  /// Number of the request.
  request_number id{};
};

/// The handler of the task has ended.
struct task_done {
  /// Number of the task.
  task_number task{};
  /// How the handler ended.
  ending how = ending::completed;
};

/// Message that the pool sends to a node.
using node_message = std::variant<tasks_sent, steal_request>;
/// Message that a node sends to the pool.
using pool_message = std::variant<steal_granted, steal_refused, task_done>;

} // namespace libpool
