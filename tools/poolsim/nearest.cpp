#include "nearest.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>

namespace poolsim {

namespace {

bool are_alike(char x, char y) {
  return std::tolower(static_cast<unsigned char>(x))
         == std::tolower(static_cast<unsigned char>(y));
}

using edits = std::vector<std::size_t>;

/// The next row of the table of distances between beginnings of `x` and `y`: of
/// the first `i` letters of `x`.
edits next_edits(std::string_view x, std::string_view y, std::size_t i,
                 const edits& last, const edits& before_last) {
  edits result(y.size() + 1, i);
  for (std::size_t j = 1; j <= y.size(); ++j) {
    auto is_same = x[i - 1] == y[j - 1];
    result[j] = std::min(
      {last[j] + 1, result[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
    if (i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1])
      result[j] = std::min(result[j], before_last[j - 2] + 1);
  }
  return result;
}

/// Letters more, less, other or exchanged, each counted once.
///
/// Source: optimal string alignment distance, after F. J. Damerau, 1964.
std::size_t distance(std::string_view x, std::string_view y) {
  if (std::equal(x.begin(), x.end(), y.begin(), y.end(), are_alike))
    return 0;
  edits before_last;
  edits last(y.size() + 1);
  for (std::size_t j = 0; j < last.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= x.size(); ++i) {
    auto next = next_edits(x, y, i, last, before_last);
    before_last = std::move(last);
    last = std::move(next);
  }
  return last.back();
}

} // namespace

std::optional<std::string_view>
nearest(std::string_view given, const std::vector<std::string_view>& names) {
  constexpr std::size_t longest = 64; // the table grows with the square
  constexpr std::size_t telling = 4;  // letters
  if (given.size() > longest)
    return std::nullopt;
  std::optional<std::string_view> result;
  auto least = std::max<std::size_t>(given.size() / 3, 1) + 1;
  for (auto name : names)
    if (auto here = distance(given, name);
        here < least && here < std::max(given.size(), name.size())) {
      least = here;
      result = name;
    }
  for (auto name : names)
    if (!result && given.size() >= telling
        && name.find(given) != std::string_view::npos)
      result = name;
  return result;
}

} // namespace poolsim
