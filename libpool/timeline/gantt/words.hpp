/// The texts of the picture, not escaped.

#pragma once

#include "libpool/timeline/gantt/content.hpp"

#include <cstddef>
#include <string>

namespace libpool::detail {

/// The numbers of tasks and workers, and the whole time.
std::string caption(const gantt_content& of);

/// How many tasks have ended in which way.
std::string summary(const gantt_content& of);

/// The title of all tasks of one colour, which goes before their number.
std::string title_of(std::size_t colour, const gantt_content& in);

std::string title_of(const timeline::record& task, const gantt_content& in);

/// The name of a lane, as long as there is room for.
std::string label_of(const lane& of);

} // namespace libpool::detail
