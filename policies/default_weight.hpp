#pragma once

#include "libpool/core/instant.hpp"

#include <vector>

namespace libpool {

/// Returns the default weight of workers in poolifier, a library of worker
/// pools for Node.js. `speeds` has the speed of each core of the machine, in
/// MHz. The weight is the mean of 10^(2d) / f milliseconds over all cores,
/// rounded to milliseconds, where f is the speed of a core, and d is the number
/// of digits of f, less one. One core of 2400 MHz: 417 ms. A speed of 0, or an
/// empty list, counts as 1000 MHz.
///
/// No pool uses this weight by default. If no weights are given, all workers of
/// a pool have equal shares, and the turn of a worker lasts for about one task.
duration default_weight(const std::vector<unsigned>& speeds);

} // namespace libpool
