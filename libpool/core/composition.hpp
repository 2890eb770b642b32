#pragma once

#include "libpool/core/order.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/core/stealing.hpp"

#include <cstdint>
#include <memory>

namespace libpool {

/// When a task is bound to a worker: when it is accepted, or when some worker
/// has room in its window.
enum class assignment : std::uint8_t { eager, lazy };

/// The three choices of which a policy is made.
struct composition {
  std::unique_ptr<libpool::order> order;
  std::unique_ptr<libpool::placement> placement;
  /// None if nullptr.
  std::unique_ptr<libpool::stealing> stealing = nullptr;
  libpool::assignment assignment = assignment::lazy;
};

} // namespace libpool
