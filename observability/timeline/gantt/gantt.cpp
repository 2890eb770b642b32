#include "libpool/observability/timeline/timeline.hpp"

#include "libpool/observability/timeline/gantt/legend_words.hpp"
#include "libpool/observability/timeline/gantt/numbers.hpp"
#include "libpool/observability/timeline/gantt/parts.hpp"

#include <cstdint>
#include <ostream>

namespace libpool {

namespace detail {

namespace {

void draw_heading(svg_writer& writer, const gantt_content& content) {
  writer.text("h", margin, 34, xml(caption(content)));
  writer.text("s m", margin, 54, xml(summary(content)));
}

void draw_legend(svg_writer& writer, const gantt_layout& in) {
  for (const auto& each : in.legend) {
    writer.rectangle(each.look, each.x, each.y, 12, 12, each.title);
    writer.text("s", each.x + 18, each.y + 10.5, xml(each.text));
  }
}

/// Draws vertical lines over the whole chart, with times below. If the chart is
/// high, draws the times above, too.
void draw_ticks(svg_writer& writer, const gantt_layout& in) {
  const auto& only = in.content.only;
  auto end = only.to - only.from;
  auto step = tick_step(end);
  const auto& unit = unit_for(end);
  for (std::int64_t i = 0; i <= end / step; ++i) {
    auto time = text_of(step * i, unit);
    auto x = in.x_of(only.from + step * i);
    writer.put(R"(<path class="g" d="M)", text_of(x), ",", text_of(in.areas),
               "V", text_of(in.bottom + 5), "\"/>\n");
    writer.text("c n", x, in.bottom + 18, time);
    if (in.has_ticks_above())
      writer.text("c n", x, in.areas - 7, time);
  }
}

void draw_left_out(svg_writer& writer, const gantt_layout& in) {
  const auto& content = in.content;
  if (content.drawn_lanes == content.lanes.size())
    return;
  auto more = content.started.end() - content.lanes[content.drawn_lanes].begin;
  writer.text(
    "s m", in.left, in.bottom + 40, "Not drawn: ",
    counted(content.lanes.size() - content.drawn_lanes, "more worker"),
    ", which ran ", counted(static_cast<std::uint64_t>(more), "task"), ".");
}

} // namespace

} // namespace detail

void write_gantt(std::ostream& out, const timeline& timeline) {
  write_gantt(out, timeline, {timeline.first(), timeline.last()});
}

void write_gantt(std::ostream& out, const timeline& timeline,
                 const time_span& only) {
  detail::gantt_content content{timeline, only};
  detail::gantt_layout layout{content};
  detail::svg_writer writer{out};
  writer.begin(detail::page_width, layout.height, detail::caption(content));
  detail::draw_heading(writer, content);
  detail::draw_legend(writer, layout);
  detail::draw_ticks(writer, layout);
  detail::draw_areas(writer, layout);
  detail::draw_lanes(writer, layout);
  detail::draw_lane_names(writer, layout);
  detail::draw_left_out(writer, layout);
  writer.end();
}

} // namespace libpool
