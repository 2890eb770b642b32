#include "libpool/observability/timeline/gantt/layout.hpp"

#include "libpool/observability/timeline/gantt/legend_words.hpp"

#include <algorithm>
#include <cmath>

namespace libpool::detail {

gantt_layout::gantt_layout(const gantt_content& subject)
  : content(subject), legend(legend_of(subject)) {
  measure_columns();
  measure_rows();
  stack_up();
  choose_bars();
}

bool gantt_layout::has_ticks_above() const noexcept {
  return content.rows > 16;
}

pixels gantt_layout::x_of(instant when) const noexcept {
  return left + width * content.place_of(when);
}

pixels gantt_layout::width_of(const timeline::record& record) const noexcept {
  auto run = content.run_of(record);
  return width * content.share_of(run.to - run.from);
}

void gantt_layout::measure_columns() {
  for (std::size_t i = 0; i < content.drawn_lanes; ++i)
    left = std::max(
      left, margin + 10 + text_width(label_of(content.lanes[i]), small_font));
  width = page_width - margin - share_width - left;
}

void gantt_layout::measure_rows() {
  auto rows = std::max<std::size_t>(content.rows, 1);
  row = std::clamp(std::floor(768.0 / static_cast<double>(rows)), 4.0, 26.0);
  bar = row - std::max(1.0, std::floor(row / 4));
}

void gantt_layout::stack_up() {
  auto y = legend.empty() ? 56 : legend.back().y;
  areas = y + (has_ticks_above() ? 44 : 28);
  y = areas + area_height;
  if (content.is_dense())
    y += area_height + 12;
  lanes_top = y += 12;
  if (!content.unstarted.empty())
    y += std::max(row, 16.0) + 4;
  first_lane = y;
  y += row * static_cast<double>(content.rows);
  bottom = y;
  y += 30;
  if (content.drawn_lanes < content.lanes.size())
    y += line_height;
  height = y;
}

/// Chooses the shortest bar, so that there are not too many bars.
void gantt_layout::choose_bars() {
  constexpr std::size_t most_bars = 20'000;
  while (bars_of_at_least(shortest_bar) > most_bars)
    shortest_bar *= 2;
}

std::size_t gantt_layout::bars_of_at_least(pixels least) const {
  const auto& all = content.started;
  return static_cast<std::size_t>(
    std::count_if(all.begin(), all.end(),
                  [&](const run& x) { return width_of(*x.record) >= least; }));
}

} // namespace libpool::detail
