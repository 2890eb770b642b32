#pragma once

#include "libpool/core/instant.hpp"

#include <vector>

namespace libpool {

/// Returns the weight that poolifier gives a worker by default: the mean, over
/// the machine's cores, of 10^(2d) / f milliseconds, rounded to milliseconds,
/// where f is the speed of the core in MHz and d its number of digits less one.
/// One core of 2400 MHz: 417 ms. A speed of 0 counts as 1000 MHz, and so does
/// an empty list.
///
/// Serves as a reference for other weights. Pools without weights do not use
/// it: their workers have equal shares, and a visit lasts for about one task.
duration default_weight(const std::vector<unsigned>& speeds);

} // namespace libpool
