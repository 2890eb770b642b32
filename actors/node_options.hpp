#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace libpool {

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
};

/// Throws std::invalid_argument naming the option that is out of bounds.
void check(const node_options& options);

} // namespace libpool
