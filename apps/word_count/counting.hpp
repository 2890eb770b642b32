#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace word_count {

/// How often each word has occurred.
using word_counts = std::unordered_map<std::string, std::uint64_t>;

/// Adds `counts` to `into`.
///
/// Cost: O(size of the smaller one); words move, none is copied.
void merge(word_counts& into, word_counts&& counts);

/// How many words there were, each as often as it occurred.
std::uint64_t total(const word_counts& counts);

/// Whether it is part of a word: an ASCII letter or digit.
bool is_of_word(char byte) noexcept;

/// Counts the words of a text that comes piece by piece: the longest runs of
/// ASCII letters and digits, all letters made small.
class word_counter {
public:
  /// `before`: the byte in front of the text. If that is of a word, its rest is
  /// not counted: it began elsewhere.
  explicit word_counter(char before = ' ');

  /// The next piece.
  void add(std::string_view piece);

  /// Adds the next piece of the text behind the range: it ends the word that is
  /// open, but begins none.
  void add_rest(std::string_view piece);

  /// Whether the text so far ends within a word that is to be counted.
  bool has_open_word() const noexcept {
    return !word_.empty();
  }

  /// The counts; an open word ends here.
  word_counts take();

private:
  std::size_t skip_foreign(std::string_view piece);
  std::size_t extend_word(std::string_view piece, std::size_t first);
  void end_word();

  bool is_foreign_;
  std::string word_;
  word_counts counts_;
};

} // namespace word_count
