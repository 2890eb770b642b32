#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/option.hpp"

#include <chrono>
#include <vector>

namespace libpool {

/// Options of the stealing policy `cost_aware_stealing`, also listed in
/// docs/policies.md.
struct cost_aware_options {
  /// Weight of the most recent task in the estimated service time of its kind.
  /// The estimate is a moving average over the tasks of one kind. Above 0 and
  /// at most 1; default: 0.25.
  double alpha = 0.25;
  /// Estimated service time of a task until the pool has completed its first
  /// task; above 0; default: 1 ms.
  duration initial_estimate = std::chrono::milliseconds{1};
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(cost_aware_options& options);

} // namespace libpool
