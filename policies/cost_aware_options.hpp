#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/policies/option.hpp"

#include <chrono>
#include <vector>

namespace libpool {

/// The options of `cost_aware_stealing`. Their bounds and meanings are in
/// `options_in`, and listed in docs/policies.md.
struct cost_aware_options {
  double alpha = 0.25;
  duration initial_estimate = std::chrono::milliseconds{1};
};

std::vector<option> options_in(cost_aware_options& options);

} // namespace libpool
