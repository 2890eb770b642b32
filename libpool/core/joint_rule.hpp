#pragma once

#include "libpool/core/instant.hpp"

#include <cstddef>

namespace libpool {

/// Rule by which tasks share runs, see `joint_runs`.
struct joint_rule {
  /// Maximum number of tasks that share a run, at least 1.
  std::size_t most = 10'000;
  /// Maximum sum of the sizes of these tasks in bytes; default: unlimited. A
  /// task that is larger runs alone.
  std::size_t bytes = static_cast<std::size_t>(-1);
  /// Time that a task waits for others to share its run, unless the run is full
  /// before; default: none.
  duration wait{0};
  /// Whether a task may join a run whose handler has begun.
  bool joins_running = false;
  /// Whether the runs of a key go to workers one after the other: the next one
  /// waits for the end of the one before.
  bool in_turn = false;
  /// Whether the handler handles each of the tasks, so that a run that has
  /// crashed is divided in halves; false: all tasks ask for the same result.
  bool is_batch = false;
};

} // namespace libpool
