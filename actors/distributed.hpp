#pragma once

#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace libpool {

/// A node that serves a distributed pool.
///
/// Has a handle of the worker: let go of it before the actor system ends.
struct node_stats {
  /// It as a worker of the pool, among whose stats it is too.
  caf::actor worker;
  /// As the node calls itself.
  std::string name;
  std::vector<std::string> labels;
  /// How many tasks it wants to have, and how many of them it runs at once.
  std::size_t window = 0;
  std::size_t slots = 0;
  /// How many tasks it has.
  std::size_t in_flight = 0;
  /// The contents that are on their way to it.
  std::uint64_t bytes_under_way = 0;
  /// How long a task takes there, and a message to there and back, as the node
  /// measures it; zero if it does not know yet.
  duration service{0};
  duration round_trip{0};
  /// How fast contents get there, in bytes a second; zero while too few have
  /// gone there to know.
  double bandwidth = 0;
};

/// The nodes of a distributed pool, and what came to it from nodes.
struct nodes_stats {
  /// In the order in which they joined.
  std::vector<node_stats> nodes;
  /// Letters that counted.
  std::uint64_t letters = 0;
  /// Letters, and ends of tasks, that counted for nothing: damaged, from
  /// strangers, or of sessions that are over.
  std::uint64_t strays = 0;
  /// Nodes that did not know the token or spoke no protocol of the pool's.
  std::uint64_t turned_away = 0;
};

/// Whether a distributed pool is behind `pool`.
bool is_distributed(const caf::actor& pool) noexcept;

/// The nodes of the distributed pool behind `pool`. From any thread.
///
/// Errors: std::invalid_argument if no such pool is behind it.
nodes_stats nodes_of(const caf::actor& pool);

/// Where nodes join the distributed pool behind `pool`: the front for
/// `join_pool` within one actor system; others come through a gate.
///
/// Errors: std::invalid_argument if no such pool is behind it.
caf::actor entrance_for_nodes(const caf::actor& pool);

/// Whether nodes have to know a token.
///
/// Errors: std::invalid_argument if no distributed pool is behind `pool`.
bool wants_token(const caf::actor& pool);

} // namespace libpool
