#pragma once

#include "libpool/core/order.hpp"
#include "libpool/core/task_line.hpp"
#include "libpool/export.hpp"

namespace libpool {

/// Order by acceptance: first come, first served, except that urgent tasks go
/// before all others. A task that comes back from a worker without having been
/// completed keeps its place in the order of acceptance.
///
/// Cost: O(1) for a new task, O(log tasks) for a task that has come back, or
///       for an urgent task.
class LIBPOOL_EXPORT fifo final : public order {
public:
  void added(task& task, instant now) noexcept override;
  void removed(task& task, instant now) noexcept override;
  task* choose(instant now) noexcept override;
  task* newest(task& next) noexcept override;

  bool is_by_arrival() const noexcept override {
    return true;
  }

private:
  task_line waiting_;
};

} // namespace libpool
