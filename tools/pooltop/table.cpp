#include "table.hpp"

#include "column.hpp"

namespace pooltop {

namespace {

constexpr std::size_t bar_width = 5; // at least
constexpr std::size_t percent_width = 6;

line name_line(const std::string& name) {
  return name.empty() ? line{"(no name)", look::faint} : line{name};
}

line state_line(const std::string& state) {
  return line{state, state == "busy"      ? look::plain
                     : state == "leaving" ? look::warning
                                          : look::faint};
}

line share_line(const value& share, std::size_t width, const symbols& with) {
  const line text{percent_text(share)};
  auto result = bar(share, width - percent_width, with);
  result.pad_to(width - std::min(text.width(), percent_width));
  return result.add(text);
}

// What a column shows of its row.

template <class Row, value Row::*Member>
value member_of(const Row& of) {
  return of.*Member;
}

template <class Row>
line name(const Row& of, std::size_t /*width*/, const symbols& /*with*/) {
  return name_line(of.name);
}

line state(const member& of, std::size_t /*width*/, const symbols& /*with*/) {
  return state_line(of.state);
}

template <class Row, value Row::*Member>
line number(const Row& of, std::size_t /*width*/, const symbols& /*with*/) {
  return line{count_text(of.*Member)};
}

template <class Row, value Row::*Member>
line seconds(const Row& of, std::size_t /*width*/, const symbols& /*with*/) {
  return line{time_text(of.*Member)};
}

template <class Row, value Row::*Member>
line milliseconds(const Row& of, std::size_t /*width*/,
                  const symbols& /*with*/) {
  return line{milliseconds_text(of.*Member)};
}

template <class Row, value Row::*Member>
line share(const Row& of, std::size_t width, const symbols& with) {
  return share_line(of.*Member, width, with);
}

template <class Row, value Row::*Member>
line bytes(const Row& of, std::size_t /*width*/, const symbols& /*with*/) {
  return line{of.*Member ? count_text(of.*Member) + "B/s" : "-"};
}

template <class Row, value Row::*Member>
column<Row> numbers_column(const char* title, std::size_t width, int rank) {
  return {title, width, rank, member_of<Row, Member>, number<Row, Member>};
}

template <class Row, value Row::*Member>
column<Row> seconds_column(const char* title, std::size_t width, int rank) {
  return {title, width, rank, member_of<Row, Member>, seconds<Row, Member>};
}

template <class Row, value Row::*Member>
column<Row> times_column(const char* title, std::size_t width, int rank) {
  return {title, width, rank, member_of<Row, Member>,
          milliseconds<Row, Member>};
}

template <class Row, value Row::*Member>
column<Row> shares_column(const char* title, int rank) {
  return {title,
          bar_width + percent_width,
          rank,
          member_of<Row, Member>,
          share<Row, Member>,
          content::bar};
}

template <class Row>
column<Row> names_column(std::size_t width) {
  return {"name", width, 1, nullptr, name<Row>, content::text};
}

// The tables. Titles of one word each; numbers are ranks.

const columns<member>& worker_columns() {
  static const columns<member> all{
    {"#", 4, 0, member_of<member, &member::number>,
     number<member, &member::number>, content::number, true},
    names_column<member>(10),
    {"state", 7, 2, nullptr, state},
    numbers_column<member, &member::in_flight>("tasks", 5, 6),
    shares_column<member, &member::busy_share>("busy", 3),
    numbers_column<member, &member::completed>("done", 6, 5),
    numbers_column<member, &member::failed>("failed", 6, 7),
    numbers_column<member, &member::stolen>("stolen", 6, 10),
    times_column<member, &member::mean_ms>("mean", 7, 8),
    times_column<member, &member::max_ms>("max", 7, 9),
    seconds_column<member, &member::running_for_s>("running", 7, 4),
  };
  return all;
}

const columns<flow>& flow_columns() {
  static const columns<flow> all{
    numbers_column<flow, &flow::waiting>("waiting", 7, 0),
    names_column<flow>(10),
    numbers_column<flow, &flow::running>("running", 7, 3),
    numbers_column<flow, &flow::served>("served", 6, 5),
    shares_column<flow, &flow::share>("share", 2),
    seconds_column<flow, &flow::seat_s>("seats", 7, 8),
    times_column<flow, &flow::lag_ms>("lag", 7, 6),
    times_column<flow, &flow::mean_wait_ms>("mean", 7, 7),
    seconds_column<flow, &flow::waiting_for_s>("oldest", 7, 4),
  };
  return all;
}

const columns<node>& node_columns() {
  static const columns<node> all{
    numbers_column<node, &node::in_flight>("tasks", 6, 0),
    names_column<node>(12),
    numbers_column<node, &node::slots>("slots", 6, 2),
    times_column<node, &node::round_trip_ms>("trip", 8, 3),
    {"traffic", 10, 4, member_of<node, &node::bytes_per_s>,
     bytes<node, &node::bytes_per_s>},
  };
  return all;
}

/// Calls it with the rows and the columns of a table.
template <class Visit>
auto with_table(table_kind which, const pool& of, Visit visit) {
  switch (which) {
    case table_kind::flows:
      return visit(of.flows, flow_columns());
    case table_kind::nodes:
      return visit(of.nodes, node_columns());
    default:
      return visit(of.members, worker_columns());
  }
}

} // namespace

std::size_t rows_of(table_kind which, const pool& of) {
  return with_table(which, of,
                    [](const auto& rows, const auto&) { return rows.size(); });
}

std::size_t columns_of(table_kind which) {
  return with_table(which, {},
                    [](const auto&, const auto& all) { return all.size(); });
}

std::vector<line> table(table_kind which, const pool& of, const frame& in,
                        const symbols& with) {
  return with_table(which, of, [&](const auto& rows, const auto& all) {
    return table_of(rows, all, in, with);
  });
}

} // namespace pooltop
