#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/order.hpp"
#include "libpool/policies/option.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// The options of `priority`. Their bounds and meanings are in `options_in`,
/// and listed in docs/policies.md.
struct priority_options {
  std::optional<duration> age_step = std::nullopt;
};

std::vector<option> options_in(priority_options& options);

/// The highest priority first, first come, first served within. With
/// `age_step`, waiting for that long lifts a task by one level, so that nothing
/// starves: a task of priority p is served as if it had come p steps sooner.
///
/// Cost:   O(log tasks) to add, mostly O(1) at the end; O(1) to take out.
/// Errors: std::invalid_argument if `age_step` is not above 0.
class priority final : public order {
public:
  explicit priority(const priority_options& options = {});

  void added(task& task, instant now) noexcept override;
  void removed(task& task, instant now) noexcept override;
  std::int64_t rank(const task& task) const noexcept override;
  task* choose(instant now) noexcept override;

  bool is_timed() const noexcept override {
    return age_step_.has_value();
  }

private:
  std::optional<duration> age_step_;
  task_set waiting_;
};

} // namespace libpool
