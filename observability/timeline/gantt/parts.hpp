/// Functions that draw the larger parts of the picture.

#pragma once

#include "libpool/observability/timeline/gantt/layout.hpp"
#include "libpool/observability/timeline/gantt/svg.hpp"

namespace libpool::detail {

/// Draws the number of waiting tasks over time, and the number of running tasks
/// if the lanes do not show it.
void draw_areas(svg_writer& writer, const gantt_layout& in);

/// Draws a lane for each worker, and above them a lane for tasks without a
/// start.
void draw_lanes(svg_writer& writer, const gantt_layout& in);

/// Draws the name of each worker, and the share of time in which the worker was
/// busy.
void draw_lane_names(svg_writer& writer, const gantt_layout& in);

} // namespace libpool::detail
