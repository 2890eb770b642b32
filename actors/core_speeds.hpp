#pragma once

#include <vector>

namespace libpool {

/// Returns the speeds of the cores of this machine in MHz, as reported by
/// Linux: one element for each core, 0 for a core without a reported speed. The
/// result is empty if Linux reports no core. `default_weight` computes the
/// default weight of a worker from the result.
std::vector<unsigned> core_speeds();

} // namespace libpool
