#include "controls.hpp"

#include "orders.hpp"
#include "table.hpp"

#include <algorithm>
#include <iterator>

namespace pooltop {

namespace {

/// The next pool of another name, where a step is one forth, or as many as
/// there are but one: the first is behind the last.
void choose(const snapshot& from, std::size_t step, controls& to) {
  const auto* now = chosen_pool(from, to.pool);
  if (now == nullptr)
    return;
  const auto count = from.pools.size();
  auto next = static_cast<std::size_t>(now - from.pools.data());
  for (std::size_t i = 0; i < count && from.pools[next].name == now->name; ++i)
    next = (next + step) % count;
  to.pool = from.pools[next].name;
  to.first_row = 0;
}

void show(table_kind which, controls& to) {
  if (to.shown != which)
    to.first_row = 0;
  to.shown = which;
}

void sort_by_next(controls& to) {
  auto& by = to.sorted_by.at(static_cast<std::size_t>(to.shown));
  by = (by + 1) % columns_of(to.shown);
}

void scroll_up(std::size_t rows, controls& to) {
  to.first_row -= std::min(rows, to.first_row);
}

} // namespace

void obey(command what, const snapshot& from, const extent& table,
          controls& to) {
  if (to.asked != command::none && what != command::none
      && what != command::redraw)
    return answer_question(what, from, to);
  switch (what) {
    case command::next_pool:
      return choose(from, 1, to);
    case command::previous_pool:
      return choose(from, from.pools.size() - 1, to);
    case command::show_workers:
      return show(table_kind::workers, to);
    case command::show_flows:
      return show(table_kind::flows, to);
    case command::show_nodes:
      return show(table_kind::nodes, to);
    case command::sort:
      return sort_by_next(to);
    case command::line_up:
      return scroll_up(1, to);
    case command::line_down:
      to.first_row += 1;
      return clamp(table, to);
    case command::page_up:
      return scroll_up(table.page, to);
    case command::page_down:
      to.first_row += table.page;
      return clamp(table, to);
    case command::first_line:
      to.first_row = 0;
      return;
    case command::last_line:
      to.first_row = table.rows;
      return clamp(table, to);
    case command::freeze:
      to.is_frozen = !to.is_frozen;
      return;
    case command::help:
      to.has_help = !to.has_help;
      return;
    case command::quit:
      to.has_quit = true;
      return;
    default:
      return order(what, from, to);
  }
}

void clamp(const extent& table, controls& to) {
  const auto last = table.rows - std::min(table.rows, table.page);
  to.first_row = std::min(to.first_row, last);
}

} // namespace pooltop
