#pragma once

#include "libpool/actors/pool_stats.hpp"

#include <string>
#include <vector>

namespace libpool::live {

/// What is the matter with how the tasks fit the workers, a sentence each.
/// `changed` is what has happened lately, in the time `lately`.

/// One worker takes several times as long as the others.
void tell_slow_workers(std::vector<std::string>& to, const pool_stats& now);

/// Tasks are bound to a worker that is busy, while others are idle.
void tell_uneven(std::vector<std::string>& to, const pool_stats& now);

/// Handlers take no longer than it takes to send them a message.
void tell_tiny(std::vector<std::string>& to, const pool_stats& changed,
               duration lately);

} // namespace libpool::live
