#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/nodes/transport.hpp"
#include "libpool/nodes/work_queue.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// State of a node: a program whose workers handle tasks of a distributed pool.
///
/// This object contains an actor handle, and must be destroyed before the end
/// of the actor system.
struct node_stats {
  /// Actor handle of the worker that represents the node in the pool;
  /// `pool_stats::members` lists the same handle.
  caf::actor worker;
  /// Display name of the node, which the node has chosen.
  std::string name;
  /// Labels of the node. A message that requires labels goes only to nodes that
  /// have these labels.
  std::vector<std::string> labels;
  /// Number of tasks that the node wants to have at the same time, waiting or
  /// running.
  std::size_t window = 0;
  /// Maximum number of tasks that run on the node at the same time.
  std::size_t slots = 0;
  /// Number of tasks that were sent to the node and have not ended.
  std::size_t in_flight = 0;
  /// Number of bytes of message content that were sent to the node and not
  /// confirmed by the node.
  std::uint64_t bytes_under_way = 0;
  /// Mean service time of a task, as measured by the node; zero if not known
  /// yet.
  duration service{0};
  /// Round trip time of a message to the pool, as measured by the node; zero if
  /// not known yet.
  duration round_trip{0};
  /// Bandwidth to the node in bytes per second; zero while too few bytes were
  /// sent to measure the bandwidth.
  double bandwidth = 0;
  /// Time since the pool received the last message from the node.
  duration silence{0};
};

/// State of the nodes of a distributed pool, and counters of nodes and of the
/// messages from nodes.
struct nodes_stats {
  /// The nodes in the order in which they joined.
  std::vector<node_stats> nodes;
  /// Number of valid message batches from nodes. A message batch is what a node
  /// sends in one piece, for example several results.
  std::uint64_t batches = 0;
  /// Number of message batches and reports of ended tasks that the pool
  /// discarded. They were damaged, or came from an unknown sender or from a
  /// session that has ended. A session is the time during which a node serves
  /// the pool.
  std::uint64_t strays = 0;
  /// Number of nodes that were rejected because the node and the pool have no
  /// protocol version in common.
  std::uint64_t turned_away = 0;
  /// Number of nodes that have joined. A node that joins again counts again.
  std::uint64_t joined = 0;
  /// Number of nodes that the pool lost: they sent no message for the time
  /// `node_options::lease`, or were expelled.
  std::uint64_t lost = 0;
  /// Number of times that the pool sent message batches to a node again,
  /// because the connection or a message server had lost some.
  std::uint64_t resumed = 0;
  /// Number of this run of the pool, which each message to a node carries. A
  /// pool that starts later has a higher number.
  std::uint64_t epoch = 0;
  /// Reasons why the pool cannot reach nodes of other processes: one text for
  /// each connection to a message server that is down.
  std::vector<std::string> unreachable;
};

/// Whether `pool` is a distributed pool of this process.
bool is_distributed(const caf::actor& pool) noexcept;

/// Returns the nodes of the distributed pool behind `pool`. Thread-safe.
///
/// Errors: std::invalid_argument if `pool` is not a distributed pool.
nodes_stats nodes_of(const caf::actor& pool);

namespace detail {

/// Opens a transport by which nodes of other processes join the distributed
/// pool, until the pool ends. `turn` is set if several programs serve the pool
/// in turn, and is higher for later ones. Then the agents of the nodes do not
/// end with the pool, but join the next one.
///
/// Errors: std::invalid_argument if `pool` is not a distributed pool;
///         exceptions of `open`.
void serve_nodes(const caf::actor& pool, const transport_opener& open,
                 std::optional<std::uint64_t> turn = std::nullopt);

/// Limits for each client of a pool that is served to other programs.
struct client_limits {
  /// Maximum number of messages of one client that are in the pool at the same
  /// time; at least 1.
  std::size_t messages = 1024;
  /// Maximum number of bytes of results that were sent to one client and not
  /// confirmed by the client; at least 1024.
  std::size_t credit = std::size_t{1} << 20U;
  /// Turn of this program, if several programs serve the pool in turn: higher
  /// for later ones; otherwise 0.
  std::uint64_t turn = 0;
};

/// Lets clients in other programs send messages to the pool behind `pool`,
/// until the pool ends. `open` opens the transport to the clients. Keeps the
/// pool alive.
///
/// Errors: std::invalid_argument if `pool` is empty; exceptions of `open`.
void serve_clients(const caf::actor& pool, const client_limits& limits,
                   const transport_opener& open);

/// Has the pool behind `pool` handle the messages of a durable queue, until the
/// pool ends. Each client of the queue is one sender. A message whose front was
/// lost runs again up to `retries` times, and then fails with
/// `errc::front_lost`. Keeps the pool alive.
///
/// Errors: std::invalid_argument if `pool` is empty; exceptions of `open`.
void serve_queue(const caf::actor& pool, unsigned retries,
                 const work_queue_opener& open);

/// Parameters of a client that submits messages to a durable queue.
struct submission_terms {
  /// Maximum number of messages that were submitted and not answered.
  std::size_t most_open = 1024;
  /// Time without a queue after which messages that the queue has not stored
  /// fail with `errc::not_connected`.
  duration patience{0};
  /// Returns the id of a message; nullptr: ids are drawn.
  std::function<std::string(const message_content&)> id_of = nullptr;
  /// Prefix of drawn ids, which no other run of a program uses.
  std::string run = {};
};

/// Has a new worker of the managed pool behind `pool` submit the messages of
/// the pool to a durable queue, and answer them with the results from there.
///
/// Errors: exceptions of `open`.
void submit_to_queue(const caf::actor& pool, const submission_terms& how,
                     const submission_queue_opener& open);

/// Connects the node `node` of this process to the distributed pool behind
/// `pool`. Returns the transport by which the node sends messages to the pool.
///
/// Errors: std::invalid_argument if `pool` is not a distributed pool.
std::shared_ptr<transport>
connect_node(const caf::actor& pool,
             const std::shared_ptr<transport_user>& node);

/// Sends the pool an exit message with this reason.
void end_pool(const caf::actor& pool, const caf::error& why);

} // namespace detail

} // namespace libpool
