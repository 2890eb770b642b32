#pragma once

#include "counting.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace word_count {

/// A word, and how often it occurred. Refers to the counts.
using table_row = word_counts::const_pointer;

/// All words, in the order of `sort` in the locale C.
std::vector<table_row> by_word(const word_counts& counts);

/// The `most` most frequent words, equally frequent ones in alphabetical order.
///
/// Cost: O(words × log most).
std::vector<table_row> by_frequency(const word_counts& counts,
                                    std::size_t most);

/// The rows as `uniq -c` prints them.
std::string text_of(const std::vector<table_row>& rows);

} // namespace word_count
