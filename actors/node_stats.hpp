#pragma once

#include "libpool/core/figure.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
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

/// The figures of a node.
template <>
struct description<node_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f("libpool::node_stats",
             gauge("worker", &node_stats::worker).not_in_json(),
             gauge("name", &node_stats::name),
             gauge("labels", &node_stats::labels).not_in_json(),
             gauge("window", &node_stats::window).not_in_json(),
             gauge("slots", &node_stats::slots, "node_slots",
                   "Number of tasks that a node can run at the same time."),
             gauge("in_flight", &node_stats::in_flight, "node_in_flight",
                   "Tasks that were sent to a node and have not ended."),
             gauge("bytes_under_way", &node_stats::bytes_under_way,
                   "node_under_way_bytes",
                   "Bytes of message content in flight to a node.")
               .not_in_json(),
             gauge("round_trip", &node_stats::round_trip)
               .json("round_trip_ms")
               .null_if(no_value::zero),
             age("silence", &node_stats::silence, "node_silence_seconds",
                 "Time since the last sign of life of a node.")
               .json("silent_ms"),
             gauge("service", &node_stats::service)
               .json("service_ms")
               .null_if(no_value::zero),
             gauge("bandwidth", &node_stats::bandwidth,
                   "node_bandwidth_bytes_per_second",
                   "Bandwidth to a node; 0 while too few bytes were sent to "
                   "measure it.")
               .json("bytes_per_s")
               .null_if(no_value::zero));
  }
};

/// The figures of the nodes of a pool.
template <>
struct description<nodes_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f(
      "libpool::nodes_stats",
      gauge("nodes", &nodes_stats::nodes, "nodes",
            "Nodes of a distributed pool.")
        .by("node"),
      counter("batches", &nodes_stats::batches),
      counter("strays", &nodes_stats::strays),
      counter("turned_away", &nodes_stats::turned_away),
      counter("joined", &nodes_stats::joined, "nodes_joined_total",
              "Number of times that nodes have joined the pool, including "
              "nodes that joined again."),
      counter("lost", &nodes_stats::lost, "nodes_lost_total",
              "Nodes that were lost: silent for longer than the lease of a "
              "node lasts, or expelled by the pool."),
      counter("resumed", &nodes_stats::resumed, "node_messages_resumed_total",
              "Number of times that messages between the pool and nodes were "
              "sent again, because a connection or a server had lost "
              "messages."),
      gauge("epoch", &nodes_stats::epoch),
      gauge("unreachable", &nodes_stats::unreachable, "servers_unreachable",
            "Interrupted connections from the pool to servers, for example "
            "because the server is down."));
  }
};

} // namespace libpool
