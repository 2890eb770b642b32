#pragma once

#include <boost/intrusive/list.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace libpool {

/// Base class of a line of waiting tasks that `line_levels` finds by its
/// length.
struct line_level
  : boost::intrusive::list_base_hook<
      boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  /// Upper bound of the bits of the length, as last noted.
  std::uint8_t level = 0;

  /// Makes the line one that was never noted.
  void forget_level() noexcept {
    unlink();
    level = 0;
  }
};

/// Finds the longest of many lines without a look at all of them. A line is
/// noted when its length needs more bits than it ever did; that it has become
/// shorter is noticed by the search.
///
/// Cost: a comparison for each message that is added to a line; a search looks
///       at a limited number of lines.
class line_levels {
public:
  line_levels() = default;
  line_levels(const line_levels&) = delete;
  line_levels& operator=(const line_levels&) = delete;
  ~line_levels() = default;

  /// Records that the line has grown to `length`.
  void grew(line_level& line, std::size_t length) noexcept {
    if ((length >> line.level) > 0)
      note(line, length);
  }

  /// Calls `f` with lines that are not empty, at most `most`: first those with
  /// the longest lengths, in powers of two. Within a power of two, the lines
  /// that have grown to it last come first. `length_of` returns the length of a
  /// line. Lines that have become shorter are noted as such, at most `most`; if
  /// there are more of them, shorter lines may be missing.
  template <class Line, class Length, class F>
  void for_each_longest(std::size_t most, Length length_of, F f) {
    auto looks = most;
    for (auto level = levels_.size() - 1; level > 0; --level) {
      auto& lines = levels_[level];
      for (auto i = lines.begin(); i != lines.end();) {
        auto& line = *i++;
        auto length = length_of(static_cast<const Line&>(line));
        if ((length >> (level - 1)) > 0) {
          if (most-- == 0)
            return;
          f(static_cast<Line&>(line));
        } else {
          if (looks-- == 0)
            return;
          line.forget_level();
          grew(line, length);
        }
      }
    }
  }

private:
  static std::uint8_t bits_of(std::size_t length) noexcept {
    std::uint8_t result = 0;
    for (; length > 0; length >>= 1U)
      ++result;
    return result;
  }

  void note(line_level& line, std::size_t length) noexcept {
    line.unlink();
    line.level = bits_of(length);
    levels_[line.level].push_front(line);
  }

  using list =
    boost::intrusive::list<line_level,
                           boost::intrusive::constant_time_size<false>>;

  std::array<list, std::numeric_limits<std::size_t>::digits + 1> levels_;
};

} // namespace libpool
