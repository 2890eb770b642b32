#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pooltop {

/// Role of a text, which determines its style. The text is understandable
/// without the style, for terminals without colours.
enum class look { plain, faint, strong, chosen, bar, warning, alarm };

/// A column of a terminal. The glyph is empty after a glyph of two columns.
struct cell {
  std::string glyph = " ";
  look as = look::plain;
};

/// A row of a terminal, up to its last used column.
class line {
public:
  line() = default;

  explicit line(std::string_view text, look as = look::plain) {
    add(text, as);
  }

  line& add(std::string_view text, look as = look::plain);
  line& add(const line& other);

  /// Adds blanks up to the width.
  line& pad_to(std::size_t width, look as = look::plain);

  /// Cuts the line to the width. The last glyph then shows the cut.
  line& cut_to(std::size_t width, std::string_view ellipsis);

  /// Makes the whole line faint.
  line& fade();

  std::size_t width() const noexcept {
    return cells_.size();
  }

  const std::vector<cell>& cells() const noexcept {
    return cells_;
  }

  /// Returns the text without blanks at the end.
  std::string text() const;

private:
  std::vector<cell> cells_;
};

/// Joins the items in as few lines as possible, with `blanks` blanks between
/// neighbours.
std::vector<line> flowing(const std::vector<line>& items, std::size_t width,
                          std::size_t blanks = 2);

/// Breaks the text at blanks. Further lines are indented as far as the mark of
/// the first one.
std::vector<line> wrapped(const std::string& mark, const std::string& text,
                          look as, std::size_t width);

/// Returns the line with each character outside ASCII replaced by `?`, or by a
/// blank if it is a blank.
line in_ascii(const line& from);

} // namespace pooltop
