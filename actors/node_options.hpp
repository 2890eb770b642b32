#pragma once

#include "libpool/actors/content_function.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// Requirements of a message in a distributed pool: which nodes may handle the
/// message, and which node has its data.
struct node_wants {
  /// Labels that a node must have to get the message. The name of a node is one
  /// of its labels. The message waits while no node has all labels.
  std::vector<std::string> labels = {};
  /// Name of the node that has the data of the message; empty: none. With eager
  /// assignment, which chooses a node when the message arrives, as in
  /// `work_stealing`, the message is assigned to that node. If the pool has no
  /// such node, the message is assigned as if the name were empty.
  std::string home = {};
  /// Number of bytes that another node has to copy from the node `home` before
  /// that other node can handle the message. Another node takes the message
  /// over only if copying takes less time than waiting. The time for copying
  /// follows from the measured bandwidth of the connection of `home`.
  std::uint64_t bytes = 0;
};

/// Options of a distributed pool, whose workers are nodes, see
/// `actor_pool::distributed`.
struct node_options {
  /// Time without a message from a node after which the pool gives the node up;
  /// from 1 ms to 24 h; at least 1 s is advisable on busy machines. A node that
  /// is out of touch with the pool begins no tasks after three quarters of this
  /// time.
  duration lease{std::chrono::seconds{5}};
  /// Maximum number of tasks that the pool sends to a node in one piece; at
  /// least 1.
  std::size_t portion = 64;
  /// Maximum number of bytes of message content in flight to a node, and
  /// maximum number of bytes of results in flight from the node; at least 1024.
  std::size_t credit = std::size_t{1} << 20U;
  /// Maximum number of tasks per node that were sent and have not ended; at
  /// least 1. At most this many tasks are lost with a node.
  std::size_t most_in_flight = 1024;
  /// Maximum bytes of message content in the pool, from when a message is sent
  /// to the pool until its tasks are settled; at least 1; unset: unlimited. A
  /// message beyond the limit is refused with `errc::queue_full`, unless the
  /// pool has no other message.
  std::optional<std::size_t> capacity_bytes = std::nullopt;
  /// Returns the requirements of a message: the labels that a node must have,
  /// and the node that has the data. Unset: messages have no requirements.
  /// Workers of the pool's own program have no labels. The function is called
  /// in one thread at a time, and must not wait for the pool; if the function
  /// throws, the message is refused with `errc::policy_failed`. Cannot be
  /// combined with `managed_options::may_run_on`.
  content_function<node_wants> wants_of = nullptr;
};

/// Throws std::invalid_argument if an option is out of bounds; the text names
/// the option.
LIBPOOL_EXPORT void check(const node_options& options);

} // namespace libpool
