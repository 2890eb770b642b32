#pragma once

#include "libpool/actors/pipeline.hpp"
#include "libpool/live/history.hpp"
#include "libpool/live/json.hpp"

#include <string>

namespace libpool::live {

/// A pool as /api/v1/pools shows it.
json json_of(const std::string& name, const pool_sample& now,
             const recent_past& before);

/// A direct pool: it has no more to tell.
json json_of_direct(const std::string& name, const pool_sample& now);

json json_of(const std::string& name, const pipeline_stats& now);

} // namespace libpool::live
