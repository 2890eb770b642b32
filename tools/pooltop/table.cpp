#include "table.hpp"

#include "column.hpp"
#include "drawing.hpp"
#include "numbers.hpp"

#include <algorithm>

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

using width = std::size_t;

line name(const row& of, const column&, width, const symbols&) {
  return name_line(of.name);
}

line state(const row& of, const column&, width, const symbols&) {
  return state_line(of.state);
}

line number(const row& of, const column& by, width, const symbols&) {
  return line{count_text(by(of))};
}

line seconds(const row& of, const column& by, width, const symbols&) {
  return line{time_text(by(of))};
}

line milliseconds(const row& of, const column& by, width, const symbols&) {
  return line{milliseconds_text(by(of))};
}

line running(const row& of, const column& by, width, const symbols&) {
  return line{time_text(by(of)),
              of["is_stuck"].value_or(0) != 0 ? look::warning : look::plain};
}

line share(const row& of, const column& by, width room, const symbols& with) {
  return share_line(by(of), room, with);
}

line bytes(const row& of, const column& by, width, const symbols&) {
  return line{by(of) ? count_text(by(of)) + "B/s" : "-"};
}

column names_column(std::size_t least) {
  return {"name", nullptr, least, 1, name, content::text};
}

column shares_column(const char* title, const char* figure, int rank) {
  return {title, figure, bar_width + percent_width, rank, share, content::bar};
}

// The tables. Titles of one word each; numbers are widths and ranks.

const columns& columns_for(table_kind which) {
  static const columns of_workers{
    {"#", "number", 4, 0, number, content::number, true},
    names_column(10),
    {"state", nullptr, 7, 2, state},
    {"in flight", "in_flight", 9, 6, number},
    shares_column("busy", "busy_share", 3),
    {"completed", "completed", 9, 5, number},
    {"failed", "failed", 6, 7, number},
    {"stolen", "stolen", 6, 10, number},
    {"mean", "mean_ms", 7, 8, milliseconds},
    {"max", "max_ms", 7, 9, milliseconds},
    {"running", "running_for_s", 7, 4, running},
  };
  static const columns of_flows{
    {"waiting", "waiting", 7, 0, number},
    names_column(10),
    {"in flight", "running", 9, 3, number},
    {"served", "served", 6, 5, number},
    shares_column("share", "share", 2),
    {"seat time", "seat_s", 9, 8, seconds},
    {"lag", "lag_ms", 7, 6, milliseconds},
    {"mean", "mean_wait_ms", 7, 7, milliseconds},
    {"oldest", "waiting_for_s", 7, 4, seconds},
  };
  static const columns of_nodes{
    {"in flight", "in_flight", 9, 0, number},
    names_column(12),
    {"slots", "slots", 6, 2, number},
    {"round trip", "round_trip_ms", 10, 3, milliseconds},
    {"bandwidth", "bytes_per_s", 10, 4, bytes},
  };
  switch (which) {
    case table_kind::flows:
      return of_flows;
    case table_kind::nodes:
      return of_nodes;
    default:
      return of_workers;
  }
}

const std::vector<row>& rows_for(table_kind which, const pool& of) {
  switch (which) {
    case table_kind::flows:
      return of.flows;
    case table_kind::nodes:
      return of.nodes;
    default:
      return of.members;
  }
}

} // namespace

std::size_t rows_of(table_kind which, const pool& of) {
  return rows_for(which, of).size();
}

std::size_t columns_of(table_kind which) {
  return columns_for(which).size();
}

std::vector<line> table(table_kind which, const pool& of, const frame& in,
                        const symbols& with) {
  return table_of(rows_for(which, of), columns_for(which), in, with);
}

} // namespace pooltop
