#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// What a message wants of the nodes of its pool.
struct node_wants {
  /// Only a node that has each of these labels gets it; the name of a node is a
  /// label of it, too. It waits while there is none.
  std::vector<std::string> labels = {};
  /// The name of the node that has its data: the message goes there where
  /// messages are bound eagerly, as with `work_stealing`. If there is no such
  /// node, it goes where it would without.
  std::string home = {};
  /// So many bytes another node has to get from there before it can handle the
  /// message: it takes it over only if that pays, as fast as the home's
  /// connection has shown to be.
  std::uint64_t bytes = 0;
};

/// How a pool deals with workers on other nodes, see `actor_pool::distributed`.
struct node_options {
  /// A node that joins has to know it; empty: none has to.
  std::string token;
  /// A node that is not heard of for so long is given up; at least 1 ms, and at
  /// least 1 s where machines are busy with other things. A node begins nothing
  /// more after three quarters of it.
  duration lease{std::chrono::seconds{5}};
  /// So many short tasks travel together, at most; at least 1.
  std::size_t portion = 64;
  /// So many bytes of contents may be under way to a node, and back; at least
  /// 1 KiB.
  std::size_t credit = std::size_t{1} << 20U;
  /// A node has no more tasks at a time, whatever it wants; at least 1. So many
  /// are lost with it, at most.
  std::size_t most_in_flight = 1024;
  /// So many bytes of contents may be in the pool, from when they are sent to
  /// it until their tasks are settled; none means no limit. A message beyond
  /// that is refused with `errc::queue_full`, unless it is alone.
  std::optional<std::size_t> capacity_bytes = std::nullopt;
  /// What a message wants of nodes; none: nothing. Called in one thread at a
  /// time, must not wait for the pool, and refuses the message with
  /// `errc::policy_failed` by throwing. Workers of this program have no labels.
  /// Not beside `managed_options::may_run_on`.
  std::function<node_wants(const message_content&)> wants_of = nullptr;
};

/// Throws std::invalid_argument naming the option that is out of bounds.
void check(const node_options& options);

} // namespace libpool
