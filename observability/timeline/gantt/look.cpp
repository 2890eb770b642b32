#include "libpool/observability/timeline/gantt/look.hpp"

#include "libpool/observability/timeline/text.hpp"

#include <algorithm>
#include <cmath>

namespace libpool::detail {

std::string look_of(std::size_t colour) {
  return "c" + std::to_string(colour);
}

std::string text_of(pixels length) {
  return decimal(std::llround(std::max(length, 0.0) * 100) * 10);
}

pixels text_width(std::string_view text, pixels font) {
  pixels out = 0;
  each_character(text, [&](auto x) { out += x.size() == 1 ? 0.6 : 1.0; });
  return out * font;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t size = 0;
  std::size_t kept = 0;
  each_character(text, [&](auto x) {
    if (++size <= most)
      out += x;
    if (size < most)
      kept = out.size();
  });
  return size <= most ? out : out.substr(0, kept) + "\u2026";
}

} // namespace libpool::detail
