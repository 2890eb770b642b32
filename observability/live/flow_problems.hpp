/// Problems of flows and clients of a pool.

#pragma once

#include "libpool/observability/live/history.hpp"
#include "libpool/observability/live/problem.hpp"

#include <vector>

namespace libpool::live {

/// Whether tasks wait long, or many wait, on average over the last ten seconds.
bool is_crowded(const pool_sample& now, const recent_past& before);

/// Reports the limits and pauses that hold back most of the waiting tasks, each
/// with its flow.
void tell_limited(std::vector<problem>& problems, const pool_sample& now,
                  const recent_past& before);

/// Reports the flow or the client with most of the waiting tasks, if the
/// workers are busy.
void tell_flood(std::vector<problem>& problems, const pool_sample& now,
                const recent_past& before);

} // namespace libpool::live
