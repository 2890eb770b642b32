#include "plot.hpp"

#include "text.hpp"
#include "time_axis.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace tenants {

namespace {

constexpr pixels page_width = 900;
constexpr pixels margin = 24;
constexpr pixels axis_left = 256;
constexpr pixels axis_right = 730; // leaves room for words behind a line
constexpr pixels top = 116;
constexpr pixels row_height = 46;
constexpr pixels line_distance = 18;
constexpr pixels foot_height = 60;
constexpr std::size_t longest_label = 24;

/// Two of Okabe and Ito's colours, which colour-blind people can tell apart;
/// the marks differ in their shapes, too.
constexpr std::string_view style = R"svg(<style>
text{font:12px system-ui,"Segoe UI","Helvetica Neue",Arial,sans-serif;fill:#40454d}
.h{font-size:17px;font-weight:600;fill:#16191d}
.n{font:13px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#16191d}
.s{font-size:11px;fill:#646b75}
.v{font-size:11px;font-variant-numeric:tabular-nums}
.o{paint-order:stroke;stroke:#fff;stroke-width:3px}
.e{text-anchor:end}
.c{text-anchor:middle}
.g{stroke:#e3e6ea}
.z{fill:#f6f7f9}
.p0{stroke:#d55e00;fill:#d55e00}
.p1{stroke:#0072b2;fill:#0072b2}
.w{stroke-width:2.5;fill:none}
</style>
<rect width="100%" height="100%" fill="#fff"/>
)svg";

std::string shortened(const std::string& name) {
  if (name.size() <= longest_label)
    return name;
  return name.substr(0, longest_label - 1) + "\u2026";
}

/// The numbers of requests without an answer.
std::string failures(const experience& seen) {
  std::string out;
  if (seen.gave_up > 0)
    out += fmt::format(", {} given up", seen.gave_up);
  if (seen.refused > 0)
    out += fmt::format(", {} refused", seen.refused);
  return out;
}

std::string summary(const std::string& policy, const experience& seen) {
  return fmt::format("{}, {}: {} answered, {} refused, {} given up; p50 {}, "
                     "p99 {}",
                     seen.wanted.tenant, policy, seen.answered, seen.refused,
                     seen.gave_up, text_of(seen.times.percentile(50)),
                     text_of(seen.times.percentile(99)));
}

time_axis axis_for(const std::vector<run_result>& runs) {
  auto least = duration::max();
  auto most = duration::zero();
  for (const auto& run : runs)
    for (const auto& each : run.tenants) {
      if (each.times.count() == 0)
        continue;
      least = std::min(least, each.times.percentile(50));
      most = std::max(most, each.times.percentile(99));
    }
  return {std::min(least, most), most, axis_left, axis_right};
}

class picture {
public:
  picture(std::ostream& out, const scenario& scenario,
          const std::vector<run_result>& runs)
    : out_(out),
      scenario_(scenario),
      runs_(runs),
      axis_(axis_for(runs)),
      bottom_(top + row_height * static_cast<pixels>(scenario.demands.size())) {
    // nop
  }

  void draw() {
    begin();
    head();
    grid();
    for (std::size_t i = 0; i < scenario_.demands.size(); ++i)
      row(i);
    out_ << "</svg>\n";
  }

private:
  void text(std::string_view look, pixels x, pixels y, std::string_view text) {
    fmt::print(out_, "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
               look, x, y, xml(text));
  }

  void line(std::string_view look, pixels x1, pixels y1, pixels x2, pixels y2) {
    fmt::print(out_,
               "<path class=\"{}\" d=\"M{:.1f},{:.1f}L{:.1f},{:.1f}\"/>\n",
               look, x1, y1, x2, y2);
  }

  void begin() {
    fmt::print(out_,
               R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.1f}" )"
               R"(height="{1:.1f}" viewBox="0 0 {0:.1f} {1:.1f}" role="img">)"
               "<title>Response times by tenant</title>\n{2}",
               page_width, bottom_ + foot_height, style);
  }

  void head() {
    text("h", margin, 36, "Response times of tenants that share a pool");
    text("", margin, 58,
         fmt::format("Workers: {}. Time for each policy: {}. Below each name: "
                     "the requests of the tenant, and the work of one request.",
                     scenario_.workers, short_text_of(scenario_.length)));
    auto x = axis_left;
    for (std::size_t i = 0; i < runs_.size(); ++i, x += 200) {
      whisker(i, x, x + 48, 84);
      text("", x + 60, 88, runs_[i].policy);
    }
    text("s e", page_width - margin, 88, "mark: p50, end of the line: p99");
  }

  void grid() {
    for (const auto tick : axis_.ticks()) {
      const auto x = axis_.place_of(tick);
      line("g", x, top, x, bottom_ + 4);
    }
    for (const auto each : axis_.labels())
      text("v c", axis_.place_of(each), bottom_ + 19, short_text_of(each));
    text("c", (axis_left + axis_right) / 2, bottom_ + 42,
         "response time, from sending to the answer, on a logarithmic scale");
  }

  void row(std::size_t tenant) {
    const auto y = top + row_height * static_cast<pixels>(tenant);
    const auto& wanted = scenario_.demands[tenant];
    if (wanted.outstanding > 0)
      fmt::print(out_,
                 R"(<rect class="z" x="{:.1f}" y="{:.1f}" width="{:.1f}" )"
                 "height=\"{:.1f}\"/>\n",
                 margin / 2, y, page_width - margin, row_height);
    line("g", margin / 2, y, page_width - margin / 2, y);
    fmt::print(out_, "<g><title>{}</title>\n", xml(wanted.tenant));
    text("n", margin, y + 19, shortened(wanted.tenant));
    out_ << "</g>\n";
    text("s", margin, y + 35, text_of(wanted));
    for (std::size_t i = 0; i < runs_.size(); ++i)
      times(i, y + 15 + line_distance * static_cast<pixels>(i),
            runs_[i].tenants[tenant]);
  }

  void times(std::size_t policy, pixels y, const experience& seen) {
    if (seen.times.count() == 0) {
      text("s", axis_left, y + 4,
           runs_[policy].policy + ": no answers" + failures(seen));
      return;
    }
    const auto p50 = axis_.place_of(seen.times.percentile(50));
    const auto p99 = axis_.place_of(seen.times.percentile(99));
    fmt::print(out_, "<g><title>{}</title>\n",
               xml(summary(runs_[policy].policy, seen)));
    whisker(policy, p50, p99, y);
    text("v o e", p50 - 9, y + 4, text_of(seen.times.percentile(50)));
    text("v o", std::max(p99, p50 + 4) + 6, y + 4,
         text_of(seen.times.percentile(99)) + failures(seen));
    out_ << "</g>\n";
  }

  /// A line with a bar at its end, and a circle or a diamond where it begins.
  void whisker(std::size_t policy, pixels p50, pixels p99, pixels y) {
    const auto look = fmt::format("p{}", policy);
    line(look + " w", p50, y, p99, y);
    line(look + " w", p99, y - 5, p99, y + 5);
    fmt::print(out_, "<path class=\"{}\" d=\"M{:.1f},{:.1f}{}z\"/>\n", look,
               p50, y,
               policy == 0 ? "m-4.5,0a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0"
                           : "m-5.5,0l5.5,-5.5l5.5,5.5l-5.5,5.5");
  }

  std::ostream& out_;
  const scenario& scenario_;
  const std::vector<run_result>& runs_;
  const time_axis axis_;
  const pixels bottom_;
};

} // namespace

void write_plot(std::ostream& out, const scenario& scenario,
                const std::vector<run_result>& runs) {
  picture{out, scenario, runs}.draw();
}

} // namespace tenants
