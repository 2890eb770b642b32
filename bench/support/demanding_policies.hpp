#pragma once

#include "libpool/pool.hpp"

#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Names and policies of pools that are asked for more than a plain shared
/// queue: each option of a shared queue that concerns single messages, the
/// options of the guide's first managed pool, and fair queuing between 64
/// flows. No message of a benchmark is refused or late.
std::vector<std::pair<std::string, libpool::actor_pool::policy>>
demanding_policies();

} // namespace bench
