#pragma once

#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/policy.hpp"
#include "libpool/export.hpp"

#include <caf/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// Options of a node: a program whose workers handle tasks of a distributed
/// pool.
struct join_options {
  /// Maximum number of tasks of the distributed pool that run on the node at
  /// the same time; at most `pool.most_workers`. 0: the number of workers of
  /// the node's local pool.
  std::size_t slots = 0;
  /// Display name of the node. The name is also a label of the node.
  std::string name = {};
  /// Labels of the node. A message that requires labels goes only to nodes that
  /// have these labels.
  std::vector<std::string> labels = {};
  /// Maximum number of results that the node sends to the pool in one piece; at
  /// least 1.
  std::size_t portion = 64;
  /// Maximum number of bytes of results that were sent to the pool and not
  /// confirmed by the pool; at least 1024. Must equal the option
  /// `node_options::credit` of the pool.
  std::size_t credit = std::size_t{1} << 20U;
  /// Options of the local pool, whose workers run the tasks of the distributed
  /// pool. If `pool.workers` is 0, the local pool has `slots` workers. The
  /// option `busy_until` is ignored: a worker is busy until it has answered.
  managed_options pool = {};
  /// Returns the policy of the local pool. The argument has the options that
  /// the policy must use. The policy must be one of managed pools, which keep
  /// messages until a worker has room. Unset: the shared queue.
  std::function<policy(const managed_options&)> choose = nullptr;
};

/// Throws std::invalid_argument if an option is out of bounds; the text names
/// the option.
LIBPOOL_EXPORT void check(const join_options& options);

/// State and counters of a node: a program whose workers handle tasks of a
/// distributed pool.
struct agent_state {
  /// Number of the current session, which is the time during which the node
  /// serves the pool; unset if the node does not serve at present.
  std::optional<std::uint64_t> session = std::nullopt;
  /// Reason why the node cannot reach the pool: the last error of the
  /// connection, or an error that states that the pool does not answer. Not set
  /// while the pool answers.
  caf::error trouble = {};
  /// Number of tasks that run on the node, including tasks from earlier
  /// sessions with the pool.
  std::size_t running = 0;
  /// Number of tasks that the node has received and not begun.
  std::size_t waiting = 0;
  /// Number of tasks that have ended on the node, with success or not.
  std::uint64_t done = 0;
  /// Number of message batches that the node discarded, because they were
  /// damaged, came from an unknown sender, or came too late.
  std::uint64_t strays = 0;
};

} // namespace libpool
