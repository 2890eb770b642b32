#pragma once

#include "libpool/core/instant.hpp"

#include <variant>

namespace libpool {

/// A share of all that was seen so far, such as the 95th: in percent.
struct percentile {
  double percent = 95;
};

/// When a second worker is asked: after a time, or when as many of the earlier
/// requests were answered by then as the percentile says.
using hedge_delay = std::variant<duration, percentile>;

} // namespace libpool
