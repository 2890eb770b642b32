#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace libpool {

/// Numbers the tasks of one pool. A number is never given again.
enum class task_number : std::uint64_t {};

/// Numbers the requests of one pool, from 1. A number is never given again, so
/// an answer to a request that is over is never taken for another one's.
enum class request_number : std::uint64_t {};

// Work stealing between nodes: workers that hold their own queues. The pool
// cannot see whether a task that it has sent has begun, so it asks for tasks,
// and the node gives away what it has not begun, or refuses. Both ends are
// state machines: `pool_side` and `node_side`.
//
//     message        from   to     when it arrives
//     tasks_sent     pool   node   the tasks join the end of its queue
//     steal_request  pool   node   answered at once by one of the next two
//     steal_granted  node   pool   in time: the tasks are sent to the thief;
//                                  late: they are in the pool's hands
//     steal_refused  node   pool   in time: the request is over; late: nothing
//     task_done      node   pool   the task is settled, or runs again
//
// A task has one owner: the pool, a message, the queue of a node, or a handler.
// It belongs to the message that carries it, also in the case of `task_done`.
// There are no other acknowledgements, since nothing but the loss of a node
// loses a message: `task_done` or `steal_granted` acknowledges `tasks_sent`,
// and a node that has sent a message forgets its content.
//
//     a request is    until
//     open            it is answered, its deadline passes, or the thief or the
//                     victim is lost; so long, the thief is reserved
//     over            for ever: an answer that comes now is a late one
//
// A task that a lost node had been sent, and had neither done nor granted as
// far as the pool was told, counts as begun: it fails, or runs again if that
// was asked for. So nothing runs twice unasked, and each task comes to an end.
//
// Messages may overtake each other, but are not duplicated; a node that is lost
// stays lost, and comes back under another number.
//
// Source: transactional work stealing in Dask.distributed.

/// To be run, in this order.
struct tasks_sent {
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
};

/// To be given away for `thief`: at most so many tasks that have not begun.
struct steal_request {
  /// Number of the request.
  request_number id{};
  /// Node that gets the tasks.
  worker_number thief{};
  /// Maximum number of tasks.
  std::size_t max = 1;
};

/// Given away, and no longer the node's.
struct steal_granted {
  /// Number of the request.
  request_number id{};
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
};

/// Nothing to give away.
struct steal_refused {
  /// Number of the request.
  request_number id{};
};

/// The handler has ended.
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
