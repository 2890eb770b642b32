#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pooltop {

/// A character, and how many columns a terminal gives it.
struct glyph {
  char32_t code = 0;
  std::string bytes; ///< UTF-8
  std::size_t width = 1;
};

/// The characters of a text. Bytes that are not UTF-8 become U+FFFD.
std::vector<glyph> glyphs_of(std::string_view text);

/// How many columns the text takes.
std::size_t width_of(std::string_view text);

/// The text for a terminal: characters that could command it, or that have no
/// width of their own, are written as in `\n`, `\x1b` and `\u{202e}`.
std::string escaped(std::string_view text);

} // namespace pooltop
