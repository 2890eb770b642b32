#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// How long each task takes, in the order in which they come.
using workload = std::vector<std::chrono::nanoseconds>;

/// Tasks of unequal length, by name.
std::vector<std::pair<std::string, workload>> workloads();

/// Works for so long by the clock, so that a ratio of makespans shows idle
/// workers, and nothing else.
void spin(std::chrono::nanoseconds length);

} // namespace bench
