#pragma once

#include "libpool/policies/estimating_placement.hpp"

#include <vector>

namespace libpool {

/// Placement that chooses the worker that has worked the least: the one with
/// the smallest sum of the costs of its tasks so far and of the charges for its
/// tasks in flight. The charge of a task is its estimate, doubled whenever the
/// task has run for that long. In the long run all workers work for the same
/// time, independent of the costs of single tasks; if workers differ in speed,
/// `fair_share` is the better choice.
///
/// A worker that joins starts with the smallest sum of the other workers, so
/// that it is not flooded. poolifier has this policy too, but counts only ended
/// tasks, so that all tasks of a burst go to one worker.
///
/// Cost: O(log workers) per choice, start, end and join.
class least_busy final : public estimating_placement {
public:
  /// Makes the placement of a pool without workers.
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
