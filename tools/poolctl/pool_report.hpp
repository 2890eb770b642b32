/// The state of a server's pools as text.

#pragma once

#include "json_text.hpp"

#include <string>

namespace poolctl {

/// Returns all that the server says about the pool: problems, figures, workers,
/// flows, nodes and limits.
std::string report_of_pool(const json& pool);

/// Returns the problems and the stages of the pipeline.
std::string report_of_pipeline(const json& pipeline);

/// Returns the limits of the pool and of its flows that hold back tasks.
std::string report_of_limits(const json& pool);

/// Returns a row for each pool, and the problems of all pools.
std::string overview_of(const json& pools);

} // namespace poolctl
