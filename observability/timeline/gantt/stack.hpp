#pragma once

#include "libpool/observability/timeline/gantt/layout.hpp"
#include "libpool/observability/timeline/gantt/shares.hpp"
#include "libpool/observability/timeline/gantt/svg.hpp"

#include <string_view>

namespace libpool::detail {

/// Parameters of a drawing of shares.
struct stacking {
  pixels bottom;
  pixels height;
  /// Share that has the full height.
  double full;
  /// Minimum height of a share above zero.
  pixels least_height;
  /// State of the tasks, as a text after their number.
  std::string_view state;
};

/// Draws the shares of all colours, one above the other.
void draw_shares(svg_writer& writer, const gantt_layout& in,
                 const column_shares& shares, const stacking& stacking);

} // namespace libpool::detail
