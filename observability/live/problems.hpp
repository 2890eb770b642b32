/// Problems of pools and pipelines, found here for every program that shows
/// them.

#pragma once

#include "libpool/actors/pipeline.hpp"
#include "libpool/observability/live/history.hpp"
#include "libpool/observability/live/line_history.hpp"
#include "libpool/observability/live/problem.hpp"

#include <vector>

namespace libpool::live {

/// Returns the problems, the gravest first; empty if there are none. Conditions
/// that can change from one moment to the next are judged by the last ten
/// seconds.
std::vector<problem> problems_of(const pool_sample& now,
                                 const recent_past& before);

/// `stages`: the last ten seconds of each stage.
std::vector<problem> problems_of(const pipeline_stats& now,
                                 const std::vector<stage_past>& stages);

/// Returns the time from which on a task counts as stuck: longer than nearly
/// all tasks of the pool have run.
duration long_run(const pool_stats& stats);

} // namespace libpool::live
