#pragma once

#include "libpool/core/recorder.hpp"
#include "libpool/live/history.hpp"
#include "libpool/live/json.hpp"

#include <cstddef>
#include <vector>

namespace libpool::live {

/// Returns the runs that ended between `from` and `to`, as the page draws them:
/// each run, or if there are too many, the share of the time that each worker
/// spent on each flow.
/// @param most maximum number of runs, or of shares
/// @param seen tasks that were seen running before, whose kinds are known
json json_of(const recording& runs, instant from, instant to, std::size_t most,
             const std::vector<running_task>& seen = {});

} // namespace libpool::live
