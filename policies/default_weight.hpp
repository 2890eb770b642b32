#pragma once

#include "libpool/core/instant.hpp"

#include <vector>

namespace libpool {

/// The weight that a worker has in poolifier unless it is told: the mean, over
/// the machine's cores, of 10^(2d) / f milliseconds, where f is the core's
/// speed in MHz and d the number of its digits less one; rounded to
/// milliseconds. One core of 2400 MHz: 417 ms. A speed of 0 counts as 1000 MHz,
/// and so does no speed at all.
///
/// A measure to give other weights by. Pools without weights do not need it:
/// there all shares are equal, and a visit is about one task long.
duration default_weight(const std::vector<unsigned>& speeds);

} // namespace libpool
