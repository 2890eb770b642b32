#include "libpool/observability/timeline/gantt/numbers.hpp"
#include "libpool/observability/timeline/gantt/parts.hpp"
#include "libpool/observability/timeline/gantt/shares.hpp"
#include "libpool/observability/timeline/gantt/stack.hpp"

#include <cstdint>
#include <string_view>

namespace libpool::detail {

namespace {

column_shares waiting_shares(const gantt_content& content) {
  column_shares out{fine_columns};
  for (const auto& each : content.recorded.records())
    if (auto wait = content.wait_of(each); wait.to > wait.from)
      out.add(content.colours.of(each), content.place_of(wait.from),
              content.place_of(wait.to));
  return out;
}

column_shares running_shares(const gantt_content& content) {
  column_shares out{fine_columns};
  for (const auto& each : content.started) {
    auto run = content.run_of(*each.record);
    out.add(content.colours.of(*each.record), content.place_of(run.from),
            content.place_of(run.to));
  }
  return out;
}

void draw_area(svg_writer& writer, const gantt_layout& in,
               std::string_view name, const column_shares& shares,
               pixels bottom) {
  auto top = round_up(1.0, shares.most());
  auto right = in.left + in.width;
  writer.text("s e", in.left - 10, bottom - area_height / 2 + 4, name);
  writer.text("m n", right + 6, bottom - area_height + 9,
              grouped(static_cast<std::uint64_t>(top)));
  writer.text("m n", right + 6, bottom, "0");
  writer.put(R"(<path class="g" d="M)", text_of(in.left), ",", text_of(bottom),
             "h", text_of(in.width), "\"/>\n");
  draw_shares(writer, in, shares, {bottom, area_height, top, 0.5, ""});
}

} // namespace

void draw_areas(svg_writer& writer, const gantt_layout& in) {
  draw_area(writer, in, "waiting", waiting_shares(in.content),
            in.areas + area_height);
  if (in.content.is_dense())
    draw_area(writer, in, "running", running_shares(in.content),
              in.areas + 2 * area_height + 12);
}

} // namespace libpool::detail
