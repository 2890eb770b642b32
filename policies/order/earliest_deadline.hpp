#pragma once

#include "libpool/core/order.hpp"
#include "libpool/core/task_line.hpp"
#include "libpool/export.hpp"

#include <cstdint>

namespace libpool {

/// Order by deadline, the earliest first (EDF); first come, first served among
/// equal deadlines. Tasks without a deadline go last.
///
/// Source: C. L. Liu and J. W. Layland, "Scheduling Algorithms for
///         Multiprogramming in a Hard-Real-Time Environment", JACM 20 (1973).
/// Cost:   O(log tasks) to add a task, and mostly O(1) if the new task is the
///         last in the order; O(1) to remove a task.
class LIBPOOL_EXPORT earliest_deadline final : public order {
public:
  void added(task& task, instant now) noexcept override;
  void removed(task& task, instant now) noexcept override;
  std::int64_t rank(const task& task) const noexcept override;
  task* choose(instant now) noexcept override;

private:
  task_line waiting_;
};

} // namespace libpool
