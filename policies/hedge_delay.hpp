#pragma once

#include "libpool/core/instant.hpp"

#include <variant>

namespace libpool {

/// A percentile of recorded times, in percent.
struct percentile {
  /// Percentage of the times that are at most as long; above 0 and below 100.
  double percent = 95;
};

/// Delay until a second worker is asked: a time, or the time within which this
/// percentage of earlier messages was answered by the first worker.
using hedge_delay = std::variant<duration, percentile>;

} // namespace libpool
