#include "column.hpp"

#include "unicode.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace pooltop {

namespace {

/// Whether `a` comes before `b`. Unknown values come last.
bool is_before(const value& a, const value& b, bool is_ascending) {
  if (!a || !b)
    return a.has_value() && !b.has_value();
  return is_ascending ? *a < *b : *a > *b;
}

/// Returns the rows in the order of a column. Equal rows stay in the server's
/// order.
std::vector<const row*> sorted(const std::vector<row>& rows, const column& by,
                               const symbols& with) {
  struct keyed {
    const row* source;
    value number;
    std::string text;
  };
  std::vector<keyed> keys;
  for (const auto& each : rows)
    keys.push_back(
      by.figure != nullptr
        ? keyed{&each, by(each), {}}
        : keyed{&each, {}, by.show(each, by, by.width, with).text()});
  std::stable_sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    return by.figure != nullptr ? is_before(a.number, b.number, by.is_ascending)
                                : a.text < b.text;
  });
  std::vector<const row*> result;
  for (const auto& each : keys)
    result.push_back(each.source);
  return result;
}

std::size_t width_of(const std::vector<const column*>& all) {
  return std::accumulate(all.begin(), all.end(), all.size(),
                         [](std::size_t sum, const column* each) {
                           return sum + each->width;
                         })
         - 1;
}

/// Returns the columns that fit beside each other.
std::vector<const column*> fitting(const columns& all, std::size_t width) {
  std::vector<const column*> result;
  for (const auto& each : all)
    result.push_back(&each);
  while (result.size() > 1 && width_of(result) > width)
    result.erase(std::max_element(
      result.begin(), result.end(),
      [](const auto* a, const auto* b) { return a->rank < b->rank; }));
  return result;
}

/// Returns the maximum useful width of the column.
std::size_t widest(const column& of, const std::vector<const row*>& rows,
                   const symbols& with) {
  constexpr std::size_t long_bar = 15; // added to the width
  if (of.holds == content::number)
    return of.width;
  if (of.holds == content::bar)
    return of.width + long_bar;
  auto result = of.width;
  for (const auto* each : rows)
    result = std::max(result, of.show(*each, of, of.width, with).width());
  return result;
}

/// Returns the widths of the columns. Remaining width goes to texts, then to
/// bars.
std::vector<std::size_t> widths_of(const std::vector<const column*>& all,
                                   const std::vector<const row*>& rows,
                                   std::size_t width, const symbols& with) {
  auto left = width - std::min(width, width_of(all));
  std::vector<std::size_t> result;
  for (const auto* each : all)
    result.push_back(each->width);
  for (const auto growing : {content::text, content::bar})
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i]->holds == growing) {
        const auto more = std::min(left,
                                   widest(*all[i], rows, with) - all[i]->width);
        result[i] += more;
        left -= more;
      }
  return result;
}

void put(line& to, const line& text, std::size_t end, bool from_left) {
  if (!from_left && to.width() + text.width() < end)
    to.pad_to(end - text.width());
  to.add(text).pad_to(end);
}

line title_row(const std::vector<const column*>& shown,
               const std::vector<std::size_t>& widths, const column& by,
               const frame& in, const symbols& with) {
  line result;
  std::size_t end = 0;
  const auto as = in.has_focus ? look::strong : look::faint;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    end += widths[i];
    if (i > 0 && shown[i]->holds == content::text)
      result.pad_to(result.width() + 1);
    line title;
    if (shown[i] == &by)
      title.add(by.figure == nullptr || by.is_ascending ? with.up : with.down,
                as);
    put(result, title.add(shown[i]->title, as), end,
        shown[i]->holds == content::text);
    ++end;
  }
  return result;
}

line row_line(const row& of, const std::vector<const column*>& shown,
              const std::vector<std::size_t>& widths, const symbols& with) {
  line result;
  std::size_t end = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    result.pad_to(i == 0 ? 0 : end + 1);
    end = result.width() + widths[i];
    auto text = shown[i]->show(of, *shown[i], widths[i], with);
    put(result, text.cut_to(widths[i], with.ellipsis), end,
        shown[i]->holds == content::text);
  }
  return result;
}

} // namespace

std::vector<line> table_of(const std::vector<row>& rows, const columns& all,
                           const frame& in, const symbols& with) {
  const auto& by = all[in.sorted_by % all.size()];
  const auto order = sorted(rows, by, with);
  const auto shown = fitting(all, in.width);
  const auto widths = widths_of(shown, order, in.width, with);
  std::vector<line> result{title_row(shown, widths, by, in, with)};
  for (auto i = in.first; i < order.size() && result.size() <= in.rows; ++i)
    result.push_back(row_line(*order[i], shown, widths, with));
  return result;
}

} // namespace pooltop
