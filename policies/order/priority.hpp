#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/order.hpp"
#include "libpool/core/task_line.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/order/priority_options.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// Order by priority, the highest first; first come, first served among equals.
/// If the option `age_step` is set, the priority of a task rises by one level
/// each time that the task has waited for this long, so no task starves. A task
/// of priority p is then served as if it had arrived p times `age_step`
/// earlier.
///
/// Cost:   O(log tasks) to add a task, and mostly O(1) if the new task is the
///         last in the order; O(1) to remove a task.
/// Errors: std::invalid_argument if `age_step` is set and not above 0.
class LIBPOOL_EXPORT priority final : public order {
public:
  /// Makes an order without tasks.
  explicit priority(const priority_options& options = {});

  void added(task& task, instant now) noexcept override;
  void removed(task& task, instant now) noexcept override;
  std::int64_t rank(const task& task) const noexcept override;
  task* choose(instant now) noexcept override;
  bool set_age_step(duration step) noexcept override;

  bool is_timed() const noexcept override {
    return age_step_.has_value();
  }

private:
  std::optional<duration> age_step_;
  task_line waiting_;
};

} // namespace libpool
