#pragma once

#include <vector>

namespace libpool {

/// The speeds of this machine's cores in MHz, as Linux tells; 0 for one of
/// which it does not, none if it tells nothing. See `default_weight`.
std::vector<unsigned> core_speeds();

} // namespace libpool
