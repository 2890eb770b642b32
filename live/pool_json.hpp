#pragma once

#include "libpool/actors/pipeline.hpp"
#include "libpool/live/history.hpp"
#include "libpool/live/json.hpp"

#include <string>

namespace libpool::live {

/// Returns a pool as /api/v1/pools shows it.
json json_of(const std::string& name, const pool_sample& now,
             const recent_past& before);

/// Returns a direct pool, which has fewer values.
json json_of_direct(const std::string& name, const pool_sample& now);

json json_of(const std::string& name, const pipeline_stats& now);

} // namespace libpool::live
