#pragma once

#include "drawing.hpp"
#include "line.hpp"
#include "model.hpp"
#include "numbers.hpp"
#include "symbols.hpp"
#include "table.hpp"
#include "unicode.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace pooltop {

/// A column of a table of rows of that type.
template <class Row>
struct column {
  const char* title;
  std::size_t width;
  /// Those of a higher number are left out first.
  int rank;
  /// What rows are sorted by, the highest first; none: by the text.
  value (*measure)(const Row&);
  line (*show)(const Row&, const symbols&);
  /// Whether it gets the width that is left; its texts start on the left.
  bool is_wide = false;
  /// Whether the lowest comes first.
  bool is_ascending = false;
};

template <class Row>
using columns = std::vector<column<Row>>;

/// Rows that are not told last, equal ones in the server's order.
template <class Row>
bool is_before(const column<Row>& by, const Row& a, const Row& b,
               const symbols& with) {
  if (by.measure == nullptr)
    return by.show(a, with).text() < by.show(b, with).text();
  const auto left = by.measure(a);
  const auto right = by.measure(b);
  if (!left || !right)
    return left.has_value() && !right.has_value();
  return by.is_ascending ? *left < *right : *left > *right;
}

template <class Row>
std::vector<const Row*> sorted(const std::vector<Row>& rows,
                               const column<Row>& by, const symbols& with) {
  std::vector<const Row*> result;
  for (const auto& each : rows)
    result.push_back(&each);
  std::stable_sort(
    result.begin(), result.end(),
    [&](const Row* a, const Row* b) { return is_before(by, *a, *b, with); });
  return result;
}

template <class Row>
std::size_t width_of(const std::vector<const column<Row>*>& all) {
  return std::accumulate(all.begin(), all.end(), all.size(),
                         [](std::size_t sum, const column<Row>* each) {
                           return sum + each->width;
                         })
         - 1;
}

/// Those that fit beside each other.
template <class Row>
std::vector<const column<Row>*> fitting(const columns<Row>& all,
                                        std::size_t width) {
  std::vector<const column<Row>*> result;
  for (const auto& each : all)
    result.push_back(&each);
  while (result.size() > 1 && width_of(result) > width)
    result.erase(std::max_element(
      result.begin(), result.end(),
      [](const auto* a, const auto* b) { return a->rank < b->rank; }));
  return result;
}

/// The widths with what is left given to the wide one, as far as it has use for
/// it.
template <class Row>
std::vector<std::size_t> widths_of(const std::vector<const column<Row>*>& all,
                                   std::size_t widest, std::size_t width) {
  const auto taken = width_of(all);
  std::vector<std::size_t> result;
  for (const auto* each : all) {
    const auto left = taken < width && each->is_wide ? width - taken : 0;
    result.push_back(
      std::max(each->width, std::min(each->width + left, widest)));
  }
  return result;
}

template <class Row>
std::size_t widest_of(const column<Row>& of,
                      const std::vector<const Row*>& rows,
                      const symbols& with) {
  std::size_t result = 0;
  for (const auto* each : rows)
    result = std::max(result, of.show(*each, with).width());
  return result;
}

inline void put(line& to, line text, std::size_t end, bool from_left) {
  if (!from_left && to.width() + text.width() < end)
    to.pad_to(end - text.width());
  to.add(text).pad_to(end);
}

template <class Row>
line title_row(const std::vector<const column<Row>*>& shown,
               const std::vector<std::size_t>& widths, const column<Row>& by,
               const frame& in, const symbols& with) {
  line result;
  std::size_t end = 0;
  const auto as = in.has_focus ? look::strong : look::faint;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    end += widths[i];
    if (i > 0 && shown[i]->is_wide)
      result.pad_to(result.width() + 1);
    line title;
    if (shown[i] == &by)
      title.add(by.measure == nullptr || by.is_ascending ? with.up : with.down,
                as);
    put(result, title.add(shown[i]->title, as), end, shown[i]->is_wide);
    ++end;
  }
  return result;
}

template <class Row>
line row(const Row& of, const std::vector<const column<Row>*>& shown,
         const std::vector<std::size_t>& widths, const symbols& with) {
  line result;
  std::size_t end = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    result.pad_to(i == 0 ? 0 : end + 1);
    end = result.width() + widths[i];
    auto text = shown[i]->show(of, with);
    put(result, text.cut_to(widths[i], with.ellipsis), end, shown[i]->is_wide);
  }
  return result;
}

template <class Row>
std::vector<line> table_of(const std::vector<Row>& rows,
                           const columns<Row>& all, const frame& in,
                           const symbols& with) {
  const auto& by = all[in.sorted_by % all.size()];
  const auto order = sorted(rows, by, with);
  const auto shown = fitting(all, in.width);
  std::size_t widest = 0;
  for (const auto* each : shown)
    if (each->is_wide)
      widest = widest_of(*each, order, with);
  const auto widths = widths_of(shown, widest, in.width);
  std::vector<line> result{title_row(shown, widths, by, in, with)};
  for (auto i = in.first; i < order.size() && result.size() <= in.rows; ++i)
    result.push_back(row(*order[i], shown, widths, with));
  return result;
}

} // namespace pooltop
