#pragma once

#include "libpool/core/order.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/core/stealing.hpp"

#include <cstdint>
#include <memory>

namespace libpool {

/// Time at which a task is assigned to a worker. `eager`: when the pool accepts
/// the task. `lazy`: when a worker has room for the task.
enum class assignment : std::uint8_t { eager, lazy };

/// The parts of a policy of a managed pool. `order` and `placement` are never
/// nullptr.
struct composition {
  /// Part that chooses the next waiting task.
  std::unique_ptr<libpool::order> order;
  /// Part that chooses the worker of a task.
  std::unique_ptr<libpool::placement> placement;
  /// Part that chooses tasks for idle workers to take over; nullptr: tasks are
  /// not stolen. Ignored with lazy assignment.
  std::unique_ptr<libpool::stealing> stealing = nullptr;
  /// Time at which tasks are assigned to workers; default: lazy.
  libpool::assignment assignment = assignment::lazy;
};

} // namespace libpool
