/// The parts of the picture that take more than a few lines.

#pragma once

#include "libpool/timeline/gantt/layout.hpp"
#include "libpool/timeline/gantt/svg.hpp"

namespace libpool::detail {

/// Draws the number of waiting tasks over time, and the number of running tasks
/// if the lanes do not show it.
void draw_areas(svg_writer& to, const gantt_layout& in);

/// Draws a lane for each worker, and one above them for tasks without a start.
void draw_lanes(svg_writer& to, const gantt_layout& in);

/// Draws the names of the workers, and how busy they were.
void draw_lane_names(svg_writer& to, const gantt_layout& in);

} // namespace libpool::detail
