#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pooltop {

/// What a text is, which decides how it looks. Nothing is told by that alone:
/// whoever sees no colours reads the same.
enum class look { plain, faint, strong, chosen, bar, warning, alarm };

/// A column of a terminal. The glyph is empty behind one that takes two.
struct cell {
  std::string glyph = " ";
  look as = look::plain;
};

/// A row of a terminal, as far as something is in it.
class line {
public:
  line() = default;

  explicit line(std::string_view text, look as = look::plain) {
    add(text, as);
  }

  line& add(std::string_view text, look as = look::plain);
  line& add(const line& other);

  /// Adds blanks until it is so wide.
  line& pad_to(std::size_t width, look as = look::plain);

  /// Leaves out what does not fit; the last glyph says so.
  line& cut_to(std::size_t width, std::string_view ellipsis);

  /// Makes all of it faint.
  line& fade();

  std::size_t width() const noexcept {
    return cells_.size();
  }

  const std::vector<cell>& cells() const noexcept {
    return cells_;
  }

  /// Without blanks at the end.
  std::string text() const;

private:
  std::vector<cell> cells_;
};

/// All in as many lines as it takes, so many blanks between neighbours.
std::vector<line> flowing(const std::vector<line>& items, std::size_t width,
                          std::size_t blanks = 2);

/// The text, broken at blanks; the lines behind the first start with as many
/// blanks as the first has in front.
std::vector<line> wrapped(const std::string& mark, const std::string& text,
                          look as, std::size_t width);

/// The line, with all that is not ASCII replaced by `?`, or by a blank where it
/// is one.
line in_ascii(const line& from);

} // namespace pooltop
