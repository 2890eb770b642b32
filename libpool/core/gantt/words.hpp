/// What the picture says in words, not escaped.

#pragma once

#include "libpool/core/gantt/content.hpp"

#include <cstddef>
#include <string>

namespace libpool::detail {

/// How much there is of what.
std::string caption(const gantt_content& of);

/// What has become of the tasks.
std::string summary(const gantt_content& of);

/// Of all tasks of one colour; before their number.
std::string title_of(std::size_t colour, const gantt_content& in);

std::string title_of(const timeline::record& task, const gantt_content& in);

/// As long as there is room for.
std::string label_of(const lane& of);

} // namespace libpool::detail
