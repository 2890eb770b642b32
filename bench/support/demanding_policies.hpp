#pragma once

#include "libpool/pool.hpp"

#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Names and policies of pools that do more for a message than a plain shared
/// queue: shared queues with one option each, one with the options of the
/// guide's first managed pool and larger limits, and fair queuing between 64
/// flows, in modes `exact` and `kubernetes`. No message of a benchmark is
/// refused or late.
std::vector<std::pair<std::string, libpool::actor_pool::policy>>
demanding_policies();

} // namespace bench
