#pragma once

#include "libpool/core/order.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/core/stealing.hpp"

#include <cstdint>
#include <memory>

namespace libpool {

/// When a task is assigned to a worker: when it is accepted (`eager`), or when
/// a worker has room for it in its window (`lazy`).
enum class assignment : std::uint8_t { eager, lazy };

/// The three choices that make up a policy. `order` and `placement` are never
/// nullptr.
struct composition {
  /// Decides which waiting task goes next.
  std::unique_ptr<libpool::order> order;
  /// Decides which worker gets a task.
  std::unique_ptr<libpool::placement> placement;
  /// nullptr: tasks are not stolen. Ignored with lazy assignment.
  std::unique_ptr<libpool::stealing> stealing = nullptr;
  /// When tasks are assigned to workers.
  libpool::assignment assignment = assignment::lazy;
};

} // namespace libpool
