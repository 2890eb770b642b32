#include "counting.hpp"

#include <utility>

namespace word_count {

namespace {

char small(char byte) noexcept {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a')
                                    : byte;
}

/// Where the next run of bytes that are of a word, or are not, ends.
std::size_t end_of_run(std::string_view piece, std::size_t first,
                       bool of_word) {
  while (first < piece.size() && is_of_word(piece[first]) == of_word)
    ++first;
  return first;
}

} // namespace

void merge(word_counts& into, word_counts&& counts) {
  if (into.size() < counts.size())
    into.swap(counts);
  into.merge(counts); // leaves the words that both have
  for (const auto& [word, count] : counts)
    into.find(word)->second += count;
  counts.clear();
}

std::uint64_t total(const word_counts& counts) {
  std::uint64_t out = 0;
  for (const auto& [word, count] : counts)
    out += count;
  return out;
}

bool is_of_word(char byte) noexcept {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
         || (byte >= '0' && byte <= '9');
}

word_counter::word_counter(char before) : is_foreign_(is_of_word(before)) {
  // nop
}

void word_counter::add(std::string_view piece) {
  auto index = skip_foreign(piece);
  while (index < piece.size()) {
    index = extend_word(piece, index);
    if (index < piece.size())
      end_word();
    index = end_of_run(piece, index, false);
  }
}

void word_counter::add_rest(std::string_view piece) {
  if (has_open_word() && extend_word(piece, 0) < piece.size())
    end_word();
}

word_counts word_counter::take() {
  end_word();
  return std::exchange(counts_, {});
}

/// Returns where the words begin that are to be counted.
std::size_t word_counter::skip_foreign(std::string_view piece) {
  if (!is_foreign_)
    return 0;
  const auto end = end_of_run(piece, 0, true);
  is_foreign_ = end == piece.size();
  return end;
}

/// Returns where the word ends, or the piece.
std::size_t word_counter::extend_word(std::string_view piece,
                                      std::size_t first) {
  const auto end = end_of_run(piece, first, true);
  for (const auto byte : piece.substr(first, end - first))
    word_ += small(byte);
  return end;
}

void word_counter::end_word() {
  if (word_.empty())
    return;
  ++counts_[word_];
  word_.clear();
}

} // namespace word_count
