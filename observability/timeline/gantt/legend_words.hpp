/// Texts of the picture, not escaped.

#pragma once

#include "libpool/observability/timeline/gantt/content.hpp"

#include <cstddef>
#include <string>

namespace libpool::detail {

/// Returns the numbers of tasks and workers, and the length of the time.
std::string caption(const gantt_content& content);

/// Returns the number of tasks with each outcome.
std::string summary(const gantt_content& content);

/// Returns the title of all tasks of one colour, to be put before their number.
std::string title_of(std::size_t colour, const gantt_content& in);

std::string title_of(const timeline::record& task, const gantt_content& in);

/// Returns the name of a lane, cut to the room for it.
std::string label_of(const lane& lane);

} // namespace libpool::detail
