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

// All that a pool and a node tell each other, by one connection: the messages
// of link_protocol.hpp, and within a session those of stealing_protocol.hpp and
// these. What a task contains travels beside its number, as bytes.
//
//     message     from   to     when it arrives
//     tasks_done  node   pool   each of the tasks is settled, or runs again
//     unread      node   pool   the task has not begun, since the node cannot
//                               read it: another one may
//     forget      pool   node   those of the tasks that have not begun are
//     given
//                               back, by a steal_granted of request 0
//     demand      node   pool   the node gets no more tasks than it wants
//     receipt     both          so many more bytes may be under way
//     bye         pool   node   the session ends, and there is no other one
//
// Only contents count as bytes: the rest is small, and there is no more of it
// than there are tasks.

/// Handlers that have ended, in that order.
struct tasks_done {
  /// The tasks, and how their handlers ended.
  std::vector<task_done> ends;
};

/// A content that the node cannot read, of a task that it has not begun.
struct unread {
  /// Number of the task.
  task_number task{};
  /// Why, for people.
  std::string why;
};

/// Tasks that nobody waits for any more.
struct forget {
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
};

/// How many tasks the node wants to have, those that run included, and how long
/// they take there.
struct demand {
  /// Number of tasks that the node wants to have.
  std::size_t window = 0;
  /// How many run at once.
  std::size_t slots = 1;
  /// Of a task, on average; zero if that is not known.
  duration service{0};
  /// From the node to the pool and back.
  duration round_trip{0};
};

/// So many bytes have come in the session, in all.
struct receipt {
  /// Number of bytes.
  std::uint64_t bytes = 0;
};

/// A message within a session; in the case of `hello` there is none.
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
