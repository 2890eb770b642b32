#include "chunks.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace word_count {

namespace {

constexpr std::size_t block_size = std::size_t{64} * 1024;

/// Number of bytes within which most words end.
constexpr std::size_t first_rest = 64;

char byte_before(const reader& read, std::uint64_t offset) {
  char out = ' ';
  if (offset > 0)
    read(offset - 1, &out, 1);
  return out;
}

/// A place in a text that moves on as the text is read.
class cursor {
public:
  cursor(const reader& read, std::uint64_t index)
    : read_(read), at_(index), block_(block_size) {
    // nop
  }

  std::uint64_t at() const noexcept {
    return at_;
  }

  /// Returns up to `most` bytes; empty at the end of the text.
  std::string_view next(std::uint64_t most) {
    const auto size = std::min<std::uint64_t>(most, block_.size());
    const auto got = read_(at_, block_.data(), static_cast<std::size_t>(size));
    at_ += got;
    return {block_.data(), got};
  }

private:
  const reader& read_;
  std::uint64_t at_;
  std::vector<char> block_;
};

void add_range(word_counter& counter, cursor& cursor, std::uint64_t end) {
  while (cursor.at() < end) {
    const auto piece = cursor.next(end - cursor.at());
    if (piece.empty())
      return;
    counter.add(piece);
  }
}

void add_rest(word_counter& counter, cursor& cursor) {
  for (auto size = first_rest; counter.has_open_word();
       size = std::min(2 * size, block_size)) {
    const auto piece = cursor.next(size);
    if (piece.empty())
      return;
    counter.add_rest(piece);
  }
}

} // namespace

cutter::cutter(std::uint64_t size, std::uint64_t chunk)
  : size_(size), chunk_(chunk) {
  // nop
}

std::optional<byte_range> cutter::next() {
  if (at_ == size_)
    return std::nullopt;
  const auto begin = at_;
  at_ += std::min(chunk_, size_ - at_);
  return byte_range{begin, at_};
}

range_count count_range(const reader& read, byte_range range) {
  word_counter counter{byte_before(read, range.begin)};
  cursor cursor{read, range.begin};
  add_range(counter, cursor, range.end);
  const auto bytes = cursor.at() - range.begin;
  add_rest(counter, cursor);
  return {counter.take(), bytes};
}

} // namespace word_count
