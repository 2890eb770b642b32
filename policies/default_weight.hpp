#pragma once

#include "libpool/core/instant.hpp"

#include <vector>

namespace libpool {

/// Returns the weight that poolifier, a library of worker pools for Node.js,
/// gives to each worker by default. `speeds` has the speed of each core of the
/// machine, in MHz; a speed of 0 and an empty list count as 1000 MHz. The
/// weight is the mean of 10^(2d) / f milliseconds over all cores, rounded to
/// milliseconds. Here f is the speed of a core, and d is one less than the
/// number of digits of f. Example: 417 ms for one core of 2400 MHz.
///
/// No pool uses this weight unless the user sets it. Without weights, all
/// workers of a pool get equal shares of the time.
duration default_weight(const std::vector<unsigned>& speeds);

} // namespace libpool
