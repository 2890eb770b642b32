/// Error answers of a pool, and problems that they show.

#pragma once

#include "libpool/actors/pool_stats.hpp"
#include "libpool/observability/live/history.hpp"
#include "libpool/observability/live/problem.hpp"

#include <vector>

namespace libpool::live {

/// Returns the error answers since then by error, flow and kind, the largest
/// count first.
std::vector<error_answer_stats> error_answers_since(const pool_stats& now,
                                                    const pool_stats& earlier);

/// Reports flows many of whose tasks were answered with errors; if there are
/// more than three, or flows are unknown, reports the share of all tasks.
void tell_error_answers(std::vector<problem>& problems, const pool_sample& now,
                        const recent_past& before);

} // namespace libpool::live
