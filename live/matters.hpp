#pragma once

#include "libpool/actors/pipeline.hpp"
#include "libpool/live/history.hpp"

#include <string>
#include <vector>

namespace libpool::live {

/// What is the matter with the pool, a sentence each, the gravest first; none
/// if nothing is.
std::vector<std::string> matters_of(const pool_sample& now,
                                    const past_sample* beginning);

std::vector<std::string> matters_of(const pipeline_stats& now);

} // namespace libpool::live
