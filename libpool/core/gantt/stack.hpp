#pragma once

#include "libpool/core/gantt/layout.hpp"
#include "libpool/core/gantt/shares.hpp"
#include "libpool/core/gantt/svg.hpp"

#include <string_view>

namespace libpool::detail {

/// How shares are drawn.
struct stacking {
  pixels bottom;
  pixels height;
  /// What is as high as that.
  double full;
  /// Of what is not nothing.
  pixels least_height;
  /// Said of the tasks after their number.
  std::string_view what;
};

/// Draws what each colour takes, one above the other.
void draw_shares(svg_writer& to, const gantt_layout& in,
                 const column_shares& shares, const stacking& how);

} // namespace libpool::detail
