#include "libpool/observability/timeline/gantt/numbers.hpp"
#include "libpool/observability/timeline/gantt/parts.hpp"
#include "libpool/observability/timeline/gantt/shares.hpp"
#include "libpool/observability/timeline/gantt/stack.hpp"
#include "libpool/observability/timeline/gantt/words.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace libpool::detail {

namespace {

// -- tasks that were not started ----------------------------------------------

/// The place of a mark. Tasks with equal places share a mark.
std::int64_t mark_place(const timeline::record& of, const gantt_content& in) {
  constexpr double places = 500;
  return std::llround(in.place_of(of.finished) * places);
}

/// @param more the other tasks that share the mark
void draw_mark(svg_writer& to, const gantt_layout& in,
               const timeline::record& of, std::uint64_t more) {
  auto title = title_of(of, in.content);
  if (more > 0)
    title += "\nand " + grouped(more) + " more here";
  to.rectangle(look_of(in.content.colours.of(of)), in.x_of(of.finished) - 0.75,
               in.lanes_top + 1, 1.5, in.first_lane - in.lanes_top - 6, title);
}

void draw_marks(svg_writer& to, const gantt_layout& in) {
  const auto& all = in.content.unstarted;
  for (auto i = all.begin(); i != all.end();) {
    auto begin = i;
    auto place = mark_place(**begin, in.content);
    while (i != all.end() && mark_place(**i, in.content) == place)
      ++i;
    draw_mark(to, in, **begin, static_cast<std::uint64_t>(i - begin) - 1);
  }
}

void draw_unstarted(svg_writer& to, const gantt_layout& in) {
  if (in.content.unstarted.empty())
    return;
  auto height = in.first_lane - in.lanes_top - 4;
  auto y = in.lanes_top + height / 2 + 4;
  to.text("s e", in.left - 10, y, "not started");
  to.text("m n", in.left + in.width + 6, y,
          grouped(in.content.unstarted.size()));
  to.put("<g class=\"r\">\n");
  draw_marks(to, in);
  to.put("</g>\n");
}

// -- runs ---------------------------------------------------------------------

void draw_bar(svg_writer& to, const gantt_layout& in,
              const timeline::record& of, pixels top) {
  auto colour = in.content.colours.of(of);
  auto x = in.x_of(in.content.run_of(of).from);
  auto width = std::max(in.width_of(of) - 0.5, 0.5);
  to.rectangle(look_of(colour), x, top, width, in.bar,
               title_of(of, in.content));
  if (!in.content.is_completed(of))
    to.rectangle("x", x, top, width, in.bar);
  auto label = std::to_string(of.task);
  if (in.bar >= 12 && width >= text_width(label, 10) + 6)
    to.text(colour == dark_colour ? "t w" : "t", x + width / 2,
            top + in.bar / 2 + 3.5, label);
}

bool is_narrow(const timeline::record& of, const gantt_layout& in) noexcept {
  return in.width_of(of) < in.shortest_bar;
}

/// Draws the runs that are too short to be drawn one by one, as shares.
void draw_narrow(svg_writer& to, const gantt_layout& in,
                 runs::const_iterator begin, runs::const_iterator end,
                 pixels top) {
  const auto& of = in.content;
  column_shares narrow{of.is_dense() ? coarse_columns : fine_columns};
  for (auto i = begin; i != end; ++i)
    if (is_narrow(*i->record, in)) {
      auto run = of.run_of(*i->record);
      narrow.add(of.colours.of(*i->record), of.place_of(run.from),
                 of.place_of(run.to));
    }
  draw_shares(to, in, narrow,
              {top + in.bar, in.bar, 1, in.bar >= 10 ? 2.0 : 1.0,
               " too short to be drawn one by one"});
}

void draw_row(svg_writer& to, const gantt_layout& in,
              runs::const_iterator begin, runs::const_iterator end,
              pixels top) {
  draw_narrow(to, in, begin, end, top);
  for (auto i = begin; i != end; ++i)
    if (!is_narrow(*i->record, in))
      draw_bar(to, in, *i->record, top);
}

void draw_lane(svg_writer& to, const gantt_layout& in, const lane& of,
               pixels top) {
  auto rows = gantt_content::rows_of(of);
  to.put("<g class=\"r\">\n");
  auto i = of.begin;
  for (std::uint32_t row = 0; row < rows; ++row) {
    auto end = i;
    while (end != of.end && (end->row == row || row + 1 == rows))
      ++end;
    draw_row(to, in, i, end, top + in.row * row + (in.row - in.bar) / 2);
    i = end;
  }
  to.put("</g>\n");
}

// -- names --------------------------------------------------------------------

double busy_share(const lane& of, const gantt_content& in) {
  auto busy = duration{0};
  for (auto i = of.begin; i != of.end; ++i) {
    auto run = in.run_of(*i->record);
    busy += run.to - run.from;
  }
  return in.share_of(busy) / of.rows;
}

void draw_name(svg_writer& to, const gantt_layout& in, const lane& of,
               pixels middle) {
  to.put("<g><title>", xml(of.name), ": ",
         counted(static_cast<std::uint64_t>(of.end - of.begin), "run"),
         "</title>");
  to.text("e", in.left - 10, middle + 4, xml(label_of(of)));
  to.text("m n", in.left + in.width + 6, middle + 4,
          percent(busy_share(of, in.content)));
  to.put("</g>\n");
}

} // namespace

void draw_lanes(svg_writer& to, const gantt_layout& in) {
  draw_unstarted(to, in);
  std::size_t rows = 0;
  for (std::size_t i = 0; i < in.content.drawn_lanes; ++i) {
    const auto& of = in.content.lanes[i];
    auto top = in.first_lane + in.row * static_cast<double>(rows);
    auto height = in.row * gantt_content::rows_of(of);
    if (i % 2 == 0 && height >= 8)
      to.rectangle("z", in.left, top, in.width, height);
    draw_lane(to, in, of, top);
    rows += gantt_content::rows_of(of);
  }
}

/// Draws as many names as there is room for.
void draw_lane_names(svg_writer& to, const gantt_layout& in) {
  auto top = in.first_lane;
  auto free = top;
  auto stride =
    round_up<std::size_t>(1, static_cast<std::size_t>(std::ceil(12 / in.row)));
  for (std::size_t i = 0; i < in.content.drawn_lanes; ++i) {
    const auto& of = in.content.lanes[i];
    auto height = in.row * gantt_content::rows_of(of);
    auto middle = top + height / 2;
    if (i % stride == 0 && middle >= free) {
      draw_name(to, in, of, middle);
      free = middle + 12;
    }
    top += height;
  }
}

} // namespace libpool::detail
