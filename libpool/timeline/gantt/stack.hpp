#pragma once

#include "libpool/timeline/gantt/layout.hpp"
#include "libpool/timeline/gantt/shares.hpp"
#include "libpool/timeline/gantt/svg.hpp"

#include <string_view>

namespace libpool::detail {

/// How shares are drawn.
struct stacking {
  pixels bottom;
  pixels height;
  /// The share that is as high as the whole column.
  double full;
  /// The least height of a share above zero.
  pixels least_height;
  /// Said of the tasks after their number.
  std::string_view state;
};

/// Draws the shares of all colours, one above the other.
void draw_shares(svg_writer& to, const gantt_layout& in,
                 const column_shares& shares, const stacking& how);

} // namespace libpool::detail
