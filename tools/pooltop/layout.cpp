#include "layout.hpp"

#include "help.hpp"
#include "numbers.hpp"
#include "orders.hpp"
#include "parts.hpp"
#include "table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pooltop {

namespace {

/// Lines that belong together. Those of a higher rank are left out first, those
/// of rank 0 never.
struct block {
  int rank;
  std::vector<line> lines;
};

using blocks = std::vector<block>;

std::size_t height_of(const blocks& all) {
  std::size_t result = 0;
  for (const auto& each : all)
    result += each.lines.size();
  return result;
}

void shrink(blocks& all, std::size_t height) {
  while (height_of(all) > height) {
    const auto last = std::max_element(
      all.begin(), all.end(),
      [](const block& a, const block& b) { return a.rank < b.rank; });
    if (last->rank == 0)
      return;
    all.erase(last);
  }
}

void append(std::vector<line>& to, std::vector<line> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()),
            std::make_move_iterator(from.end()));
}

std::vector<line> joined(blocks all) {
  std::vector<line> result;
  for (auto& each : all)
    append(result, std::move(each.lines));
  return result;
}

/// The second text ends where the line ends, if there is room for it.
line both_ends(line first, const line& second, std::size_t width) {
  if (second.width() > 0 && first.width() + 2 + second.width() <= width)
    first.pad_to(width - second.width()).add(second);
  return first;
}

std::vector<line> title(const view& what) {
  line result{"pooltop", look::strong};
  result.add("  " + what.address);
  if (!what.told.version.empty())
    result.add("  libpool " + what.told.version, look::faint);
  if (what.chosen.is_frozen)
    return {line{"FROZEN", look::chosen}.add("  ").add(result)};
  return {result};
}

std::vector<line> trouble(const view& what, std::size_t width) {
  if (what.trouble.empty() && what.was_told)
    return {};
  if (what.trouble.empty())
    return {line{"Waiting for the first answer.", look::faint}};
  auto text = what.trouble;
  if (what.was_told)
    text += " No data for " + time_text(what.now_s - what.told_s)
            + "; the values below are old.";
  return wrapped("!! ", text, look::alarm, width);
}

/// What is old looks so.
void fade(std::vector<line>& lines, const view& what, std::size_t width) {
  if (what.trouble.empty() || !what.was_told)
    return;
  const auto new_lines = title(what).size() + trouble(what, width).size();
  for (auto i = std::min(new_lines, lines.size()); i < lines.size(); ++i)
    lines[i].fade();
}

/// What is above the tables.
blocks above(const view& what, std::size_t width, std::size_t matter_lines) {
  const auto* chosen = chosen_pool(what.told, what.chosen.pool);
  blocks result{{0, title(what)}, {0, trouble(what, width)}};
  if (!what.was_told)
    return result;
  result.push_back({1, chooser(what.told, chosen, width)});
  if (chosen != nullptr)
    result.push_back({0, facts(*chosen, width)});
  result.push_back({2, matters(what.told, chosen, width, matter_lines)});
  if (chosen != nullptr) {
    const auto& known = what.known.of(chosen->name);
    if (known.samples.size() > 1)
      result.push_back({5, courses(known, width, what.with)});
    result.push_back({4, latencies(*chosen, width)});
    result.push_back({7, totals(*chosen, width)});
    result.push_back({6, why(*chosen, width)});
  }
  result.push_back({3, pipelines(what.told, width, what.with)});
  return result;
}

const char* name_of(table_kind which) {
  switch (which) {
    case table_kind::flows:
      return "flows";
    case table_kind::nodes:
      return "nodes";
    default:
      return "workers";
  }
}

std::vector<line> table_or_word(table_kind which, const pool& of,
                                const frame& in, const symbols& with) {
  if (rows_of(which, of) > 0)
    return table(which, of, in, with);
  return {line{std::string{"no "} + name_of(which), look::faint}};
}

frame frame_for(const view& what, table_kind which, std::size_t width,
                std::size_t rows) {
  const auto has_focus = which == what.chosen.shown;
  return {width, has_focus ? what.chosen.first_row : 0, rows,
          what.chosen.sorted_by.at(static_cast<std::size_t>(which)), has_focus};
}

std::vector<line> beside(std::vector<line> left, const std::vector<line>& right,
                         std::size_t column) {
  left.resize(std::max(left.size(), right.size()));
  for (std::size_t i = 0; i < right.size(); ++i)
    left[i].pad_to(column).add(right[i]);
  return left;
}

/// The table that is seen beside that of the workers.
table_kind companion(const view& what, const pool& of) {
  if (what.chosen.shown != table_kind::workers)
    return what.chosen.shown;
  return of.flows.empty() ? table_kind::nodes : table_kind::flows;
}

std::vector<line> tables(const view& what, const pool& of, std::size_t width,
                         std::size_t rows) {
  constexpr std::size_t wide = 140;
  const auto other = companion(what, of);
  const auto draw = [&](table_kind which, std::size_t of_width) {
    return table_or_word(which, of, frame_for(what, which, of_width, rows),
                         what.with);
  };
  if (width < wide || rows_of(other, of) == 0)
    return draw(what.chosen.shown, width);
  const auto left = width * 11 / 20;
  return beside(draw(table_kind::workers, left), draw(other, width - left - 3),
                left + 3);
}

/// Says so where the server does not tell of all workers.
std::string untold_text(const view& what) {
  const auto* of = chosen_pool(what.told, what.chosen.pool);
  if (of == nullptr || what.chosen.shown != table_kind::workers)
    return {};
  const auto all = (*of)["all_members"];
  return all.value_or(0) <= static_cast<double>(of->members.size())
           ? std::string{}
           : " listed, " + count_text(all) + " in total";
}

/// `1-8 of 24`
std::string range_text(const view& what, const extent& table) {
  const auto first = what.chosen.first_row;
  const auto last = std::min(first + table.page, table.rows);
  if (last <= first)
    return {};
  return std::to_string(first + 1) + '-' + std::to_string(last) + " of "
         + std::to_string(table.rows) + untold_text(what);
}

line keys(const view& what, const extent& table, std::size_t width) {
  const line range{range_text(what, table)};
  line result;
  for (const char* text :
       {"q quit", "? help", "Tab pool", "w/f/n table", "s sort", "p freeze"}) {
    line key{result.width() == 0 ? "" : "  "};
    key.add(text, look::faint);
    if (result.width() + key.width() + 2 + range.width() <= width)
      result.add(key);
  }
  return both_ends(result, range, width);
}

/// The keys that change pools, a question, or what the server said; empty
/// without the control token.
std::vector<line> orders(const view& what, std::size_t width) {
  if (!what.told.may_control)
    return {};
  if (const auto text = question(what.told, what.chosen); !text.empty())
    return wrapped("", text, look::alarm, width);
  if (!what.chosen.outcome.empty())
    return wrapped("", what.chosen.outcome, look::strong, width);
  line result;
  for (const char* text : {"P pause or resume the pool", "+/- workers",
                           "C cancel a flow", "X cancel all", "D drain"}) {
    line key{result.width() == 0 ? "" : "  "};
    key.add(text, look::faint);
    if (result.width() + key.width() <= width)
      result.add(key);
  }
  return {result};
}

void fit(std::vector<line>& lines, std::size_t width, const symbols& with) {
  for (auto& each : lines) {
    each.cut_to(width, with.ellipsis);
    if (with.is_ascii)
      each = in_ascii(each);
  }
}

/// All but the tables. What is the matter may take a part of the height, and
/// what the rows leave.
blocks top_of(const view& what, std::size_t width, std::size_t height,
              std::size_t rows) {
  const auto part = std::max<std::size_t>(height / 6, 1);
  auto result = above(what, width, part);
  const auto taken = height_of(result) + 1 + rows;
  return taken < height ? above(what, width, part + height - taken) : result;
}

/// What is above the tables, and the tables in what is left.
picture tables_below(const view& what, std::size_t width, std::size_t height) {
  const auto* chosen = chosen_pool(what.told, what.chosen.pool);
  const auto rows = chosen == nullptr ? 0 : rows_of(what.chosen.shown, *chosen);
  const auto wanted = 1 + std::min(rows, std::max<std::size_t>(height / 3, 3));
  auto top = top_of(what, width, height, rows);
  shrink(top, height - std::min(height, wanted));
  picture result{joined(std::move(top)), {rows, 0}};
  if (chosen == nullptr || result.lines.size() + 1 >= height)
    return result;
  const auto left = height - result.lines.size() - 1;
  result.table.page = std::min(left, rows);
  append(result.lines, tables(what, *chosen, width, left));
  return result;
}

} // namespace

picture screen_of(const view& what, std::size_t width, std::size_t height) {
  if (height == 0)
    return {};
  auto below = orders(what, width);
  below.resize(std::min(below.size(), height - 1));
  const auto rest = height - 1 - below.size();
  picture result;
  if (what.chosen.has_help)
    result.lines = help_text();
  else {
    result = tables_below(what, width, rest);
    fade(result.lines, what, width);
  }
  result.lines.resize(rest);
  append(result.lines, std::move(below));
  result.lines.push_back(keys(what, result.table, width));
  fit(result.lines, width, what.with);
  return result;
}

std::vector<line> report_of(const view& what, std::size_t width) {
  constexpr std::size_t all = 1000000;
  auto result = joined(above(what, width, all));
  if (const auto* chosen = chosen_pool(what.told, what.chosen.pool))
    for (auto which :
         {table_kind::workers, table_kind::flows, table_kind::nodes})
      if (rows_of(which, *chosen) > 0) {
        result.emplace_back();
        append(result, table(which, *chosen, frame_for(what, which, width, all),
                             what.with));
      }
  fit(result, width, what.with);
  return result;
}

} // namespace pooltop
