#pragma once

#include "libpool/observability/timeline/gantt/content.hpp"
#include "libpool/observability/timeline/gantt/legend.hpp"
#include "libpool/observability/timeline/gantt/look.hpp"

#include <cstddef>
#include <vector>

namespace libpool::detail {

/// Positions and sizes of the parts of the picture.
struct gantt_layout {
  /// Computes the layout of the picture of `subject`.
  /// @pre `subject` outlives the layout
  explicit gantt_layout(const gantt_content& subject);

  bool has_ticks_above() const noexcept;

  pixels x_of(instant when) const noexcept;
  pixels width_of(const timeline::record& record) const noexcept;

  const gantt_content& content;
  std::vector<legend_entry> legend;

  /// Left edge of lanes and areas.
  pixels left = 108;
  pixels width = 0;
  /// Heights of a row, and of the bars in a row.
  pixels row = 0;
  pixels bar = 0;
  /// Minimum width of a bar; shorter runs have no bar.
  pixels shortest_bar = 2;

  /// Vertical positions, from top to bottom.
  pixels areas = 0;
  pixels lanes_top = 0;
  pixels first_lane = 0;
  pixels bottom = 0;
  pixels height = 0;

private:
  void measure_columns();
  void measure_rows();
  void stack_up();
  void choose_bars();
  std::size_t bars_of_at_least(pixels least) const;
};

} // namespace libpool::detail
