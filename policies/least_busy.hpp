#pragma once

#include "libpool/policies/estimating_placement.hpp"

#include <vector>

namespace libpool {

/// The worker that has worked the least: the smallest sum of the costs of its
/// tasks so far, and of the estimates of its tasks in flight; the charge of a
/// task that runs for longer is doubled until it is not. So in the long run all
/// workers have the same time to work, whatever their tasks are like; where
/// workers are of different speed, `fair_share` is the better choice.
///
/// One that joins starts from the smallest sum of the others, so that it is not
/// flooded. Known from poolifier, which counts only tasks that have ended, so
/// that a burst all lands on one worker.
///
/// Cost: O(log workers) per choice, start, end and join.
class least_busy final : public estimating_placement {
public:
  explicit least_busy(const estimate_options& options = {});

  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;

private:
  void entered(estimate_record& record) noexcept override;
  void withdrew(estimate_record& record) noexcept override;
  void changed(estimate_record& record) noexcept override;
  worker* best(instant now) noexcept override;
  worker* best_of(const std::vector<worker*>& some,
                  instant now) noexcept override;

  sorted& place_of(const estimate_record& record) noexcept;
  void sort_in(estimate_record& record, bool is_offered) noexcept;
  estimate_record* first_of(const sorted& some, instant now) noexcept;
  void refresh(estimate_record& record, instant now) noexcept;

  sorted offered_;
  sorted others_;
};

} // namespace libpool
