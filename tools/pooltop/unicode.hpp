#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pooltop {

/// A character, with the number of columns that it takes in a terminal.
struct glyph {
  char32_t code = 0;
  std::string bytes; ///< UTF-8
  std::size_t width = 1;
};

/// Returns the characters of a text. Bytes that are not UTF-8 become U+FFFD.
std::vector<glyph> glyphs_of(std::string_view text);

/// Returns the number of columns that the text takes.
std::size_t width_of(std::string_view text);

/// Returns the text for a terminal. Characters that could control the terminal,
/// or that have no width, are written as `\n`, `\x1b` or `\u{202e}`.
std::string escaped(std::string_view text);

} // namespace pooltop
