#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/placement/estimating_placement.hpp"

#include <vector>

namespace libpool {

/// Placement that chooses the worker that has worked for the least time: the
/// costs of its ended tasks plus the estimated costs of its tasks in flight. If
/// a task runs for longer than estimated, its estimate is doubled, again and
/// again. In the long run, all workers work for the same time, independent of
/// the costs of single tasks. If workers differ in speed, `fair_share` is the
/// better choice.
///
/// A worker that joins starts with the smallest time of the other workers, so
/// that the new worker does not get all tasks. The policy of this name in
/// poolifier counts only ended tasks, so that all tasks of a burst go to one
/// worker.
///
/// Cost: O(log workers) for each assignment, start and end of a task, and for
///       each worker that joins.
class LIBPOOL_EXPORT least_busy final : public estimating_placement {
public:
  /// Makes a placement for a pool without workers.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
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
