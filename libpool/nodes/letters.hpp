#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/link_protocol.hpp"
#include "libpool/nodes/stealing_protocol.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace libpool {

// Everything that a pool and a node tell each other over one connection: the
// messages of link_protocol.hpp, and within a session those of
// stealing_protocol.hpp and the following ones. The contents of tasks are sent
// beside their numbers, as bytes.
//
//     message     from   to     effect
//     tasks_done  node   pool   each of the tasks is settled, or retried
//     unread      node   pool   the task has not begun, since the node cannot
//                               read it; another node may be able to
//     forget      pool   node   those of the tasks that have not begun are
//                               given back, by a steal_granted of request 0
//     demand      node   pool   the node gets at most the tasks that it wants
//     receipt     both          more bytes may be in flight
//     bye         pool   node   the session ends, and no other one follows
//
// Only contents count as bytes. Other data is small, and its amount is bounded
// by the number of tasks.

/// Handlers that have ended, in this order.
struct tasks_done {
  /// The tasks, and how their handlers ended.
  std::vector<task_done> ends;
};

/// A task that has not begun, because the node cannot read its content.
struct unread {
  /// Number of the task.
  task_number task{};
  /// Reason, as a text.
  std::string why;
};

/// Tasks that no client waits for any more.
struct forget {
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
};

/// Number of tasks that the node wants to have, including running ones, and the
/// time that they take.
struct demand {
  /// Number of tasks that the node wants to have.
  std::size_t window = 0;
  /// Number of tasks that can run at the same time.
  std::size_t slots = 1;
  /// Mean service time of a task; zero if unknown.
  duration service{0};
  /// Round-trip time from the node to the pool and back.
  duration round_trip{0};
};

/// Number of bytes that have arrived in the session.
struct receipt {
  /// Number of bytes.
  std::uint64_t bytes = 0;
};

/// A message within a session. A `hello` is sent without a session.
struct letter_to_pool {
  /// Session of the node; not set for `hello`.
  worker_number session{};
  /// The message.
  std::variant<hello, ready, beat, bye, tasks_done, steal_granted,
               steal_refused, demand, receipt, unread>
    content;
};

/// A message within a session.
struct letter_to_node {
  /// Session of the node.
  worker_number session{};
  /// The message.
  std::variant<welcome, beat, bye, tasks_sent, steal_request, receipt, forget>
    content;
};

} // namespace libpool
