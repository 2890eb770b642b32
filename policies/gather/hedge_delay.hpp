#pragma once

#include "libpool/core/instant.hpp"

#include <variant>

namespace libpool {

/// Percentile of the times in which first workers have answered earlier
/// messages.
struct percentile {
  /// Percentile of the earlier times that is the delay, in percent. 95: only 5
  /// % of the earlier times were longer than the delay. Above 0 and below 100;
  /// default: 95.
  double percent = 95;
};

/// Delay after which a second worker gets a message that the first worker has
/// not answered. The delay is a fixed time, or a percentile of the times in
/// which first workers have answered earlier messages.
using hedge_delay = std::variant<duration, percentile>;

} // namespace libpool
