#pragma once

#include "libpool/observability/timeline/gantt/look.hpp"
#include "libpool/observability/timeline/text.hpp"

#include <iosfwd>
#include <string_view>

namespace libpool::detail {

/// Writes the elements of an SVG file. The writer escapes only the titles of
/// rectangles and of the picture.
class svg_writer {
public:
  explicit svg_writer(std::ostream& out) : put_(out) {
    // nop
  }

  /// Begins the picture, with all its styles.
  void begin(pixels width, pixels height, std::string_view title);

  void end();

  /// Writes the parts without escaping them.
  template <class... Parts>
  void put(const Parts&... parts) {
    put_(parts...);
  }

  template <class... Parts>
  void text(std::string_view look, pixels x, pixels y, const Parts&... parts) {
    put_("<text class=\"", look, "\" x=\"", text_of(x), "\" y=\"", text_of(y),
         "\">", parts..., "</text>\n");
  }

  void rectangle(std::string_view look, pixels x, pixels y, pixels width,
                 pixels height, std::string_view title = {});

private:
  printer put_;
};

} // namespace libpool::detail
