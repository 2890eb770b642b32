#pragma once

#include "libpool/core/ewma.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"

#include <cstdint>
#include <unordered_map>

namespace libpool {

/// Estimates of the service times of tasks by kind: for each kind a moving
/// average over recent tasks, on all workers.
///
/// Load: up to 65 536 kinds have their own estimates; the estimate for any
///       further kind is the mean of these estimates.
/// Cost: O(1).
class kind_estimates {
public:
  /// Makes estimates without samples. Each estimate is `initial` until the
  /// first sample. `alpha` is the weight of the most recent sample in the
  /// moving average of its kind.
  /// @pre 0 < alpha <= 1
  kind_estimates(double alpha, duration initial) noexcept
    : alpha_(alpha), initial_(initial) {
    // nop
  }

  /// Returns the estimate for the kind. Without samples of this kind, the
  /// result is the mean of the estimates for the other kinds. Without any
  /// sample, the result is the initial estimate.
  duration of_kind(std::uint64_t kind) const noexcept;

  /// Returns the task's own estimate, otherwise the estimate for its kind.
  duration of(const task& task) const noexcept {
    return task.estimate ? *task.estimate : of_kind(task.kind);
  }

  /// Records the service time `took` of a task of the kind.
  void add(std::uint64_t kind, duration took) noexcept;

private:
  double alpha_;
  duration initial_;
  std::unordered_map<std::uint64_t, ewma> kinds_;
  double sum_ = 0; // of the estimates, in ns
};

} // namespace libpool
