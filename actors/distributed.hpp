#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/nodes/transport.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace libpool {

/// The state of a node that serves a distributed pool.
///
/// This object has a handle of the worker, and must be destroyed before the end
/// of the actor system.
struct node_stats {
  /// The node as a worker of the pool, as in `pool_stats::members`.
  caf::actor worker;
  /// Name that the node gave itself.
  std::string name;
  /// Labels that tasks can require of a node.
  std::vector<std::string> labels;
  /// Number of tasks that the node wants to have at the same time, including
  /// running tasks.
  std::size_t window = 0;
  /// Number of tasks that the node runs at the same time.
  std::size_t slots = 0;
  /// Number of tasks in flight: sent to the node and not ended.
  std::size_t in_flight = 0;
  /// Bytes of message content in flight to the node.
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
  /// Time since the last sign of life of the node.
  duration silence{0};
};

/// The nodes of a distributed pool, and counters of the messages from nodes.
struct nodes_stats {
  /// The nodes in the order in which they joined.
  std::vector<node_stats> nodes;
  /// Number of valid message batches from nodes.
  std::uint64_t batches = 0;
  /// Number of message batches and reports of ended tasks that were discarded:
  /// damaged, from unknown senders, or of sessions that have ended.
  std::uint64_t strays = 0;
  /// Number of nodes that were rejected because the node and the pool have no
  /// protocol version in common.
  std::uint64_t turned_away = 0;
  /// Number of nodes that have joined. A node that joins again counts again.
  std::uint64_t joined = 0;
  /// Number of nodes that were lost: silent for a lease, or expelled.
  std::uint64_t lost = 0;
  /// Number of times that message batches were sent again, because a line or a
  /// server had lost some.
  std::uint64_t resumed = 0;
  /// Run of the pool, which is in each message: a later run has a higher one.
  std::uint64_t epoch = 0;
  /// Reasons why nodes of other processes cannot be reached, one for each
  /// connection to a server that is down.
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
/// pool, until the pool ends. With `keeps_nodes`, the agents of these nodes do
/// not end with the pool, but join the next pool that is served.
///
/// Errors: std::invalid_argument if `pool` is not a distributed pool;
///         exceptions of `open`.
void serve_nodes(const caf::actor& pool, const transport_opener& open,
                 bool keeps_nodes = false);

/// Limits for each client of a pool that is served to other programs.
struct client_limits {
  /// Maximum number of messages of one client in the pool; at least 1.
  std::size_t messages = 1024;
  /// Maximum bytes of results in flight to one client; at least 1 KiB.
  std::size_t credit = std::size_t{1} << 20U;
};

/// Opens a transport by which clients of other programs submit to the pool,
/// until the pool ends. Keeps the pool alive.
///
/// Errors: std::invalid_argument if `pool` is empty; exceptions of `open`.
void serve_clients(const caf::actor& pool, const client_limits& limits,
                   const transport_opener& open);

/// Connects a node of this process to the distributed pool behind `pool`, and
/// returns the node's end of the connection.
///
/// Errors: std::invalid_argument if `pool` is not a distributed pool.
std::shared_ptr<transport>
connect_node(const caf::actor& pool,
             const std::shared_ptr<transport_user>& node);

/// Sends the pool an exit message with this reason.
void end_pool(const caf::actor& pool, const caf::error& why);

} // namespace detail

} // namespace libpool
