#pragma once

#include "counting.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace word_count {

/// Some bytes of a text, from `begin` up to `end`. A range owns the words that
/// begin in it, also where they end beyond.
struct byte_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const byte_range& x, const byte_range& y) {
    return x.begin == y.begin && x.end == y.end;
  }
};

/// Cuts a text into ranges of `chunk` bytes. Since words are owned by where
/// they begin, this needs no look at the text.
class cutter {
public:
  /// @pre `chunk` is more than 0
  cutter(std::uint64_t size, std::uint64_t chunk);

  /// The next range; nothing at the end.
  std::optional<byte_range> next();

private:
  std::uint64_t size_;
  std::uint64_t chunk_;
  std::uint64_t at_ = 0;
};

/// Reads up to `size` bytes of a text from `offset` on; returns how many there
/// were, which is 0 at the end of the text only.
using reader = std::function<std::size_t(std::uint64_t offset, char* character,
                                         std::size_t size)>;

/// The words and the bytes of a range.
struct range_count {
  word_counts words;
  std::uint64_t bytes = 0;
};

/// Counts the words that the range owns: looks at the byte in front of it, and
/// reads on behind it until its last word ends.
///
/// Cost:   memory for 64 KiB of the text, its longest word and the counts.
/// Errors: what `read` throws.
range_count count_range(const reader& read, byte_range range);

} // namespace word_count
