#pragma once

#include "libpool/core/recorder.hpp"
#include "libpool/live/json.hpp"

#include <cstddef>

namespace libpool::live {

/// The runs that ended in this time, as the page draws them: each one of them,
/// or if there are too many, the share of the time that each worker spent on
/// each flow.
/// @param most how many of either, at most
json json_of(const recording& runs, instant from, instant to, std::size_t most);

} // namespace libpool::live
