#include "libpool/observability/timeline/gantt/svg.hpp"

#include <cstddef>

namespace libpool::detail {

namespace {

constexpr std::string_view style = R"svg(<style>
text{font:11px system-ui,"Segoe UI","Helvetica Neue",Arial,sans-serif;fill:#40454d}
.h{font-size:17px;font-weight:600;fill:#16191d}
.s{font-size:12px}
.m{fill:#747b85}
.e{text-anchor:end}
.c{text-anchor:middle}
.n{font-variant-numeric:tabular-nums}
.t{font-size:10px;fill:#16191d;text-anchor:middle;pointer-events:none}
.w{fill:#fff}
.g{stroke:#d9dde2;stroke-width:1}
.z{fill:#f4f6f8}
.x{fill:url(#x);pointer-events:none}
.r rect:hover{stroke:#16191d;stroke-width:1.5}
)svg";

/// Hatches tasks that have not completed.
constexpr std::string_view hatching = R"svg(</style>
<defs><pattern id="x" width="5" height="5" patternUnits="userSpaceOnUse"
patternTransform="rotate(45)"><path d="M0,0v5" stroke="#16191d"
stroke-width="2.5" stroke-opacity="0.55"/></pattern></defs>
<rect width="100%" height="100%" fill="#fff"/>
)svg";

} // namespace

void svg_writer::begin(pixels width, pixels height, std::string_view title) {
  auto right = text_of(width);
  auto bottom = text_of(height);
  put_(R"(<svg xmlns="http://www.w3.org/2000/svg" width=")", right,
       R"(" height=")", bottom, R"(" viewBox="0 0 )", right, " ", bottom,
       R"(" role="img"><title>)", xml(title), "</title>\n", style);
  for (std::size_t i = 0; i < palette.size(); ++i)
    put_(".", look_of(i), "{fill:", palette[i], "}\n");
  put_(hatching);
}

void svg_writer::end() {
  put_("</svg>\n");
  put_.flush();
}

void svg_writer::rectangle(std::string_view look, pixels x, pixels y,
                           pixels width, pixels height,
                           std::string_view title) {
  put_("<rect class=\"", look, "\" x=\"", text_of(x), "\" y=\"", text_of(y),
       "\" width=\"", text_of(width), "\" height=\"", text_of(height), "\"");
  if (title.empty())
    put_("/>\n");
  else
    put_("><title>", xml(title), "</title></rect>\n");
}

} // namespace libpool::detail
