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
/// Load: up to 65 536 kinds have their own estimates; further kinds are
///       estimated at the mean of these.
/// Cost: O(1).
class kind_estimates {
public:
  /// Each task has the weight `alpha` in the estimate of its kind. The estimate
  /// is `initial` until a task of any kind has ended.
  /// @pre 0 < alpha <= 1
  kind_estimates(double alpha, duration initial) noexcept
    : alpha_(alpha), initial_(initial) {
    // nop
  }

  /// Returns the estimate for a kind. Without samples of the kind: the mean of
  /// the other kinds. Without any sample: `initial`.
  duration of_kind(std::uint64_t kind) const noexcept;

  /// Returns the task's own estimate, otherwise the estimate for its kind.
  duration of(const task& task) const noexcept {
    return task.estimate ? *task.estimate : of_kind(task.kind);
  }

  /// Records that a task of this kind took `took`.
  void add(std::uint64_t kind, duration took) noexcept;

private:
  double alpha_;
  duration initial_;
  std::unordered_map<std::uint64_t, ewma> kinds_;
  double sum_ = 0; // of the estimates, in ns
};

} // namespace libpool
