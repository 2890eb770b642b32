#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/policies/option.hpp"

#include <chrono>
#include <vector>

namespace libpool {

/// Options of `cost_aware_stealing`. `options_in` states the meaning and the
/// bounds of each option; docs/policies.md lists them.
struct cost_aware_options {
  /// Weight of the most recent task of a kind in the estimate for the kind,
  /// which is a moving average; above 0 and at most 1; default: 0.25.
  double alpha = 0.25;
  /// Estimated cost of a task before a task of any kind has ended; above 0;
  /// default: 1 ms.
  duration initial_estimate = std::chrono::milliseconds{1};
};

/// Returns a description of each option in `options`.
std::vector<option> options_in(cost_aware_options& options);

} // namespace libpool
