#pragma once

#include "libpool/core/instant.hpp"

#include <variant>

namespace libpool {

/// A percentile of recorded times.
struct percentile {
  /// Percentage of the recorded times that are not longer than the percentile;
  /// above 0 and below 100; default: 95.
  double percent = 95;
};

/// Delay after which a second worker gets a message that the first worker has
/// not answered. The delay is a fixed time, or a percentile of the times in
/// which first workers have answered earlier messages.
using hedge_delay = std::variant<duration, percentile>;

} // namespace libpool
