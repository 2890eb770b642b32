#pragma once

#include "libpool/core/assignment.hpp"
#include "libpool/core/order.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/core/stealing.hpp"

#include <memory>

namespace libpool {

/// Policy of a managed pool, as its parts. `order` and `placement` are never
/// nullptr.
struct composition {
  /// Part that chooses which of the waiting tasks goes to a worker next.
  std::unique_ptr<libpool::order> order;
  /// Part that chooses the worker of a task.
  std::unique_ptr<libpool::placement> placement;
  /// Part that lets idle workers take over tasks that were assigned to other
  /// workers and not sent yet; nullptr: tasks are not taken over. Not used with
  /// lazy assignment, where each assigned task is sent at once.
  std::unique_ptr<libpool::stealing> stealing = nullptr;
  /// Time at which tasks are assigned to workers; default: lazy, that is, when
  /// a worker has room for the task.
  libpool::assignment assignment = assignment::lazy;
};

} // namespace libpool
