#include "libpool/observability/timeline/gantt/numbers.hpp"
#include "libpool/observability/timeline/gantt/parts.hpp"
#include "libpool/observability/timeline/gantt/shares.hpp"
#include "libpool/observability/timeline/gantt/stack.hpp"

#include <cstdint>
#include <string_view>

namespace libpool::detail {

namespace {

column_shares waiting_shares(const gantt_content& of) {
  column_shares out{fine_columns};
  for (const auto& each : of.recorded.records())
    if (auto wait = of.wait_of(each); wait.to > wait.from)
      out.add(of.colours.of(each), of.place_of(wait.from),
              of.place_of(wait.to));
  return out;
}

column_shares running_shares(const gantt_content& of) {
  column_shares out{fine_columns};
  for (const auto& each : of.started) {
    auto run = of.run_of(*each.record);
    out.add(of.colours.of(*each.record), of.place_of(run.from),
            of.place_of(run.to));
  }
  return out;
}

void draw_area(svg_writer& to, const gantt_layout& in, std::string_view name,
               const column_shares& shares, pixels bottom) {
  auto top = round_up(1.0, shares.most());
  auto right = in.left + in.width;
  to.text("s e", in.left - 10, bottom - area_height / 2 + 4, name);
  to.text("m n", right + 6, bottom - area_height + 9,
          grouped(static_cast<std::uint64_t>(top)));
  to.text("m n", right + 6, bottom, "0");
  to.put(R"(<path class="g" d="M)", text_of(in.left), ",", text_of(bottom), "h",
         text_of(in.width), "\"/>\n");
  draw_shares(to, in, shares, {bottom, area_height, top, 0.5, ""});
}

} // namespace

void draw_areas(svg_writer& to, const gantt_layout& in) {
  draw_area(to, in, "waiting", waiting_shares(in.content),
            in.areas + area_height);
  if (in.content.is_dense())
    draw_area(to, in, "running", running_shares(in.content),
              in.areas + 2 * area_height + 12);
}

} // namespace libpool::detail
