#pragma once

#include "libpool/observability/live/history.hpp"
#include "libpool/observability/live/json.hpp"
#include "libpool/observability/live/line_history.hpp"

#include <string>

namespace libpool::live {

/// Returns a pool as /api/v1/pools shows it.
json json_of(const std::string& name, const pool_sample& now,
             const recent_past& before);

/// Returns the rates and times of a pool since the beginning of the window.
json window_json(const pool_sample& now, const past_sample* beginning);

/// Returns a direct pool, which has fewer values.
json json_of_direct(const std::string& name, const pool_sample& now);

/// Returns a pipeline as /api/v1/pools shows it. `past`: earlier samples.
json json_of(const std::string& name, const line_sample& now,
             const line_history& past);

} // namespace libpool::live
