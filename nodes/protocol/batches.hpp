#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/protocol/link_protocol.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace libpool {

// All messages between a pool and a node over one connection: the messages of
// link_protocol.hpp, and the following messages of a session, which form a
// stream. The contents of tasks are sent as bytes, after the numbers of the
// tasks.
//
//     message     from   to     effect
//     tasks_sent  pool   node   the tasks join the end of the node's queue;
//                               handlers can know the facts of their tasks
//     ask_back    pool   node   the node gives back tasks that have not begun,
//                               the last ones of its queue
//     take_back_tasks
//                 pool   node   the node gives back those of the tasks that
//                               have not begun
//     cancel_tasks
//                 pool   node   the same, and handlers of the other tasks are
//                               asked to stop
//     ask_begun   pool   node   the node answers with a `begun`
//     begun       node   pool   the pool knows which handlers have begun
//     given_back  node   pool   the pool has the tasks again
//     unread      node   pool   the task has not begun, since the node cannot
//                               read it; another node may be able to
//     tasks_done  node   pool   each of the tasks is settled, or retried
//     demand      node   pool   the node gets at most as many tasks as it wants
//     receipt     both          more bytes may be in flight
//     resend      both          the messages of the stream that are missing are
//                               sent again
//
// A task has one owner: the pool, a message, the queue of a node, or a handler.
// A message owns the tasks that it carries. If a node is lost, each task that
// was sent to it counts as begun, unless the pool knows that the node has
// finished the task or given it back. A task that counts as begun fails, or is
// retried if retries are allowed. Therefore no task runs twice unless retries
// are allowed, and each task is settled.
//
// Only the bytes of contents count against the credit. Other data is small, and
// its amount is bounded by the number of tasks.
//
// Source: transactional work stealing in Dask.distributed.

/// Number of a task of one pool. A number is never used again.
enum class task_number : std::uint64_t {};

/// What the pool knows of a task, for the handler at the node.
struct sent_facts {
  /// Number of the task in the order of acceptance; 0: nothing is known.
  std::uint64_t number = 0;
  /// Number of attempts at the message, this one included.
  std::uint32_t attempt = 1;
  /// Time to the deadline of the message when the task is sent; zero: no
  /// deadline.
  duration left{0};
  /// Name of the id of the message; empty: none.
  std::string id;
  /// Trace of the message; empty: none.
  std::string trace;
};

/// Tasks to run, in this order.
struct tasks_sent {
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
  /// Numbers of the takings of tasks from the durable queue, in the same order;
  /// 0 for other tasks. Empty if no task is from the queue. A node does not run
  /// a task that it has begun under another number.
  std::vector<std::uint64_t> takings = {};
  /// Tasks of the queue whose results are stored, by the numbers of their
  /// takings. The node forgets them.
  std::vector<std::uint64_t> settled = {};
  /// Facts of the tasks, in the same order; empty: nothing is known.
  std::vector<sent_facts> facts = {};
};

/// Request to give back at most `max` tasks that have not begun.
struct ask_back {
  /// Maximum number of tasks.
  std::size_t max = 1;
};

/// Tasks that have not begun, and that the node no longer has.
struct given_back {
  /// Whether this is the answer to an `ask_back`. Such an answer can be without
  /// tasks.
  bool was_asked = false;
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
};

/// The handler of the task has ended.
struct task_done {
  /// Number of the task.
  task_number task{};
  /// How the handler ended.
  ending how = ending::completed;
};

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

/// Tasks that the pool wants back if they have not begun.
struct take_back_tasks {
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
};

/// Tasks that no client waits for any more.
struct cancel_tasks {
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
};

/// Request to tell which handlers of the tasks have begun.
struct ask_begun {
  /// Numbers of the tasks.
  std::vector<task_number> tasks;
};

/// The handler of the task has begun.
struct begun_task {
  /// Number of the task.
  task_number task{};
  /// Time since the handler began.
  duration ran{0};
};

/// Handlers that have begun and not ended.
struct begun {
  /// The tasks, and how long their handlers have run.
  std::vector<begun_task> tasks;
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

/// Number of bytes of contents that have arrived in the session.
struct receipt {
  /// Number of bytes.
  std::uint64_t bytes = 0;
};

/// Request to send missing messages of the stream again, see
/// message_stream.hpp.
struct resend {};

/// Request to join as a node. A client of another program sends it to a pool
/// until a session begins. For the client, the pool is a node.
struct call {};

/// A message batch from a node to the pool. A `hello` has no session.
struct batch_to_pool {
  /// Session of the node; not set for `hello`.
  worker_number session{};
  /// The message.
  std::variant<hello, ready, beat, bye, tasks_done, given_back, demand, receipt,
               unread, resend, begun>
    content;
};

/// A message batch from the pool to a node.
struct batch_to_node {
  /// Session of the node.
  worker_number session{};
  /// The message.
  std::variant<welcome, beat, bye, gone, tasks_sent, ask_back, receipt,
               take_back_tasks, resend, call, cancel_tasks, ask_begun>
    content;
};

/// Versions of the protocol that a program supports.
struct protocol_range {
  /// Oldest version.
  std::uint32_t oldest = 1;
  /// Newest version.
  std::uint32_t newest = 1;
};

/// Versions that this library supports.
constexpr protocol_range spoken_protocols{1, 1};

/// Introduction of a node, which is sent with the node's hello.
struct introduction {
  /// Versions of the protocol that the node speaks.
  protocol_range speaks = spoken_protocols;
  /// Name of the node.
  std::string name;
  /// Labels that tasks can require.
  std::vector<std::string> labels;
  /// Tasks of the durable queue that the node has begun and that are not
  /// settled, by the numbers of their takings. Only the node that was sent a
  /// task knows the number.
  std::vector<std::uint64_t> held = {};
  /// Tasks like those in `held` whose handlers have crashed, or whose results
  /// the node has dropped.
  std::vector<std::uint64_t> lost = {};
};

/// Why a node is rejected.
enum class rejection : std::uint8_t {
  /// The pool and the node support no common version of the protocol.
  protocol = 1,
};

} // namespace libpool
