#pragma once

#include "libpool/observability/timeline/gantt/content.hpp"
#include "libpool/observability/timeline/gantt/look.hpp"

#include <string>
#include <vector>

namespace libpool::detail {

/// A colour or a pattern, and its meaning.
struct legend_entry {
  std::string look;
  std::string text;
  std::string title;
  pixels x;
  pixels y;
};

/// Returns the entries of the legend, with their positions below the headings.
std::vector<legend_entry> legend_of(const gantt_content& content);

} // namespace libpool::detail
