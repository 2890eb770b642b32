#include "libpool/observability/timeline/gantt/legend_words.hpp"
#include "libpool/observability/timeline/gantt/numbers.hpp"
#include "libpool/observability/timeline/gantt/parts.hpp"
#include "libpool/observability/timeline/gantt/shares.hpp"
#include "libpool/observability/timeline/gantt/stack.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace libpool::detail {

namespace {

// -- tasks that were not started ----------------------------------------------

/// The place of a mark. Tasks with equal places share a mark.
std::int64_t mark_place(const timeline::record& record,
                        const gantt_content& in) {
  constexpr double places = 500;
  return std::llround(in.place_of(record.finished) * places);
}

/// @param more the other tasks that share the mark
void draw_mark(svg_writer& writer, const gantt_layout& in,
               const timeline::record& record, std::uint64_t more) {
  auto title = title_of(record, in.content);
  if (more > 0)
    title += "\nand " + grouped(more) + " more here";
  writer.rectangle(look_of(in.content.colours.of(record)),
                   in.x_of(record.finished) - 0.75, in.lanes_top + 1, 1.5,
                   in.first_lane - in.lanes_top - 6, title);
}

void draw_marks(svg_writer& writer, const gantt_layout& in) {
  const auto& all = in.content.unstarted;
  for (auto i = all.begin(); i != all.end();) {
    auto begin = i;
    auto place = mark_place(**begin, in.content);
    while (i != all.end() && mark_place(**i, in.content) == place)
      ++i;
    draw_mark(writer, in, **begin, static_cast<std::uint64_t>(i - begin) - 1);
  }
}

void draw_unstarted(svg_writer& writer, const gantt_layout& in) {
  if (in.content.unstarted.empty())
    return;
  auto height = in.first_lane - in.lanes_top - 4;
  auto y = in.lanes_top + height / 2 + 4;
  writer.text("s e", in.left - 10, y, "not started");
  writer.text("m n", in.left + in.width + 6, y,
              grouped(in.content.unstarted.size()));
  writer.put("<g class=\"r\">\n");
  draw_marks(writer, in);
  writer.put("</g>\n");
}

// -- runs ---------------------------------------------------------------------

void draw_bar(svg_writer& writer, const gantt_layout& in,
              const timeline::record& record, pixels top) {
  auto colour = in.content.colours.of(record);
  auto x = in.x_of(in.content.run_of(record).from);
  auto width = std::max(in.width_of(record) - 0.5, 0.5);
  writer.rectangle(look_of(colour), x, top, width, in.bar,
                   title_of(record, in.content));
  if (!in.content.is_completed(record))
    writer.rectangle("x", x, top, width, in.bar);
  auto label = std::to_string(record.task);
  if (in.bar >= 12 && width >= text_width(label, 10) + 6)
    writer.text(colour == dark_colour ? "t w" : "t", x + width / 2,
                top + in.bar / 2 + 3.5, label);
}

bool is_narrow(const timeline::record& record,
               const gantt_layout& in) noexcept {
  return in.width_of(record) < in.shortest_bar;
}

/// Draws the runs that are too short to be drawn one by one, as shares.
void draw_narrow(svg_writer& writer, const gantt_layout& in,
                 runs::const_iterator begin, runs::const_iterator end,
                 pixels top) {
  const auto& content = in.content;
  column_shares narrow{content.is_dense() ? coarse_columns : fine_columns};
  for (auto i = begin; i != end; ++i)
    if (is_narrow(*i->record, in)) {
      auto run = content.run_of(*i->record);
      narrow.add(content.colours.of(*i->record), content.place_of(run.from),
                 content.place_of(run.to));
    }
  draw_shares(writer, in, narrow,
              {top + in.bar, in.bar, 1, in.bar >= 10 ? 2.0 : 1.0,
               " too short to be drawn one by one"});
}

void draw_row(svg_writer& writer, const gantt_layout& in,
              runs::const_iterator begin, runs::const_iterator end,
              pixels top) {
  draw_narrow(writer, in, begin, end, top);
  for (auto i = begin; i != end; ++i)
    if (!is_narrow(*i->record, in))
      draw_bar(writer, in, *i->record, top);
}

void draw_lane(svg_writer& writer, const gantt_layout& in, const lane& lane,
               pixels top) {
  auto rows = gantt_content::rows_of(lane);
  writer.put("<g class=\"r\">\n");
  auto i = lane.begin;
  for (std::uint32_t row = 0; row < rows; ++row) {
    auto end = i;
    while (end != lane.end && (end->row == row || row + 1 == rows))
      ++end;
    draw_row(writer, in, i, end, top + in.row * row + (in.row - in.bar) / 2);
    i = end;
  }
  writer.put("</g>\n");
}

// -- names --------------------------------------------------------------------

double busy_share(const lane& lane, const gantt_content& in) {
  auto busy = duration{0};
  for (auto i = lane.begin; i != lane.end; ++i) {
    auto run = in.run_of(*i->record);
    busy += run.to - run.from;
  }
  return in.share_of(busy) / lane.rows;
}

void draw_name(svg_writer& writer, const gantt_layout& in, const lane& lane,
               pixels middle) {
  writer.put("<g><title>", xml(lane.name), ": ",
             counted(static_cast<std::uint64_t>(lane.end - lane.begin), "run"),
             "</title>");
  writer.text("e", in.left - 10, middle + 4, xml(label_of(lane)));
  writer.text("m n", in.left + in.width + 6, middle + 4,
              percent(busy_share(lane, in.content)));
  writer.put("</g>\n");
}

} // namespace

void draw_lanes(svg_writer& writer, const gantt_layout& in) {
  draw_unstarted(writer, in);
  std::size_t rows = 0;
  for (std::size_t i = 0; i < in.content.drawn_lanes; ++i) {
    const auto& lane = in.content.lanes[i];
    auto top = in.first_lane + in.row * static_cast<double>(rows);
    auto height = in.row * gantt_content::rows_of(lane);
    if (i % 2 == 0 && height >= 8)
      writer.rectangle("z", in.left, top, in.width, height);
    draw_lane(writer, in, lane, top);
    rows += gantt_content::rows_of(lane);
  }
}

/// Draws as many names as there is room for.
void draw_lane_names(svg_writer& writer, const gantt_layout& in) {
  auto top = in.first_lane;
  auto free = top;
  auto stride =
    round_up<std::size_t>(1, static_cast<std::size_t>(std::ceil(12 / in.row)));
  for (std::size_t i = 0; i < in.content.drawn_lanes; ++i) {
    const auto& lane = in.content.lanes[i];
    auto height = in.row * gantt_content::rows_of(lane);
    auto middle = top + height / 2;
    if (i % stride == 0 && middle >= free) {
      draw_name(writer, in, lane, middle);
      free = middle + 12;
    }
    top += height;
  }
}

} // namespace libpool::detail
