#pragma once

#include "libpool/core/recording.hpp"
#include "libpool/observability/live/json.hpp"

#include <cstddef>

namespace libpool::live {

/// Returns the runs that ended between `time` and `target`, as the page draws
/// them: each run, or if there are too many, the share of the time that each
/// worker spent on each flow and kind of task.
/// @param most maximum number of runs, or of shares
json json_of(const recording& runs, instant time, instant target,
             std::size_t most);

} // namespace libpool::live
