#pragma once

#include <vector>

namespace libpool {

/// Returns the speeds of this machine's cores in MHz, as reported by Linux; 0
/// for a core whose speed is not reported; empty if no core is reported. See
/// `default_weight`.
std::vector<unsigned> core_speeds();

} // namespace libpool
