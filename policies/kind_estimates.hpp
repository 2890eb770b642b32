#pragma once

#include "libpool/core/ewma.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"

#include <cstdint>
#include <unordered_map>

namespace libpool {

/// How long tasks are estimated to take, by their kind: the recent service
/// times of that kind, wherever it ran.
///
/// Load: 65 536 kinds have estimates of their own; further ones are taken to be
///       like the others on average.
/// Cost: O(1).
class kind_estimates {
public:
  /// Each task counts `alpha` in the estimate of its kind, and takes `initial`
  /// before one of any kind has ended.
  /// @pre 0 < alpha <= 1
  kind_estimates(double alpha, duration initial) noexcept
    : alpha_(alpha), initial_(initial) {
    // nop
  }

  /// Of a kind without samples: the mean of the other kinds.
  duration of_kind(std::uint64_t kind) const noexcept;

  /// The time that the task is known to take, or else its kind.
  duration of(const task& task) const noexcept {
    return task.estimate ? *task.estimate : of_kind(task.kind);
  }

  /// A task of that kind took so long.
  void add(std::uint64_t kind, duration took) noexcept;

private:
  double alpha_;
  duration initial_;
  std::unordered_map<std::uint64_t, ewma> kinds_;
  double sum_ = 0; // of their estimates, in ns
};

} // namespace libpool
