#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>

namespace libpool {

/// What stealing can be told, all within its bounds.
struct stealing_options {
  /// How much the last task of a kind counts for the estimate of the next one;
  /// above 0, at most 1.
  double alpha = 0.25;
  /// What a task is taken to cost before one of any kind has ended; above 0.
  duration initial_estimate = std::chrono::milliseconds{1};
};

/// Throws std::invalid_argument naming the option that is out of bounds.
void check(const stealing_options& options);

} // namespace libpool
