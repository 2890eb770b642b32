#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace word_count {

namespace {

std::vector<table_row> rows_of(const word_counts& counts) {
  std::vector<table_row> out;
  out.reserve(counts.size());
  for (const auto& each : counts)
    out.push_back(&each);
  return out;
}

bool comes_first(table_row x, table_row y) {
  return x->first < y->first;
}

bool is_more_frequent(table_row x, table_row y) {
  return x->second != y->second ? x->second > y->second : comes_first(x, y);
}

} // namespace

std::vector<table_row> by_word(const word_counts& counts) {
  auto out = rows_of(counts);
  std::sort(out.begin(), out.end(), comes_first);
  return out;
}

std::vector<table_row> by_frequency(const word_counts& counts,
                                    std::size_t most) {
  auto out = rows_of(counts);
  const auto size = std::min(most, out.size());
  const auto end = out.begin() + static_cast<std::ptrdiff_t>(size);
  std::partial_sort(out.begin(), end, out.end(), is_more_frequent);
  out.erase(end, out.end());
  return out;
}

std::string text_of(const std::vector<table_row>& rows) {
  fmt::memory_buffer out;
  for (const auto* each : rows)
    fmt::format_to(fmt::appender{out}, "{:7} {}\n", each->second, each->first);
  return fmt::to_string(out);
}

} // namespace word_count
