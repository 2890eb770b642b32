#pragma once

#include "libpool/core/order.hpp"

namespace libpool {

/// First come, first served; urgent tasks before all others. What comes back
/// from a worker goes where its number belongs.
///
/// Cost: O(1) for what comes, O(log waiting) for what comes back.
class fifo final : public order {
public:
  void added(task& what, instant now) noexcept override;
  void removed(task& what, instant now) noexcept override;
  task* choose(instant now) noexcept override;

private:
  task_set waiting_;
};

} // namespace libpool
