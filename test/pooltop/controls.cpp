#include "pooltop/controls.hpp"

#include "pooltop/table.hpp"

#include <doctest/doctest.h>

using namespace pooltop;

namespace {

snapshot pools_named(const std::vector<std::string>& names) {
  snapshot result;
  for (const auto& each : names)
    result.pools.emplace_back().name = each;
  return result;
}

/// The pools that are chosen while a command is given again and again.
std::vector<std::string> walk(const snapshot& of, command what,
                              std::size_t steps) {
  controls by;
  std::vector<std::string> result;
  for (std::size_t i = 0; i < steps; ++i) {
    obey(what, of, {}, by);
    result.push_back(by.pool);
  }
  return result;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE("the selection of the next or previous pool wraps around at the end "
          "of the list") {
  const auto of = pools_named({"a", "b", "c"});
  CHECK(walk(of, command::next_pool, 4) == names{"b", "c", "a", "b"});
  CHECK(walk(of, command::previous_pool, 4) == names{"c", "b", "a", "c"});
}

TEST_CASE("the selection treats pools with the same name as one pool") {
  const auto of = pools_named({"a", "a", "b"});
  CHECK(walk(of, command::next_pool, 3) == names{"b", "a", "b"});
  CHECK(walk(pools_named({"a", "a"}), command::next_pool, 1) == names{"a"});
}

TEST_CASE("selecting the next pool has no effect if there are no pools") {
  CHECK(walk({}, command::next_pool, 2) == names{"", ""});
}

TEST_CASE("the first pool is shown while the selected pool does not exist") {
  const auto of = pools_named({"a", "b"});
  CHECK(chosen_pool(of, "b")->name == "b");
  CHECK(chosen_pool(of, "gone")->name == "a");
  CHECK(chosen_pool({}, "a") == nullptr);
}

TEST_CASE("a table scrolls from its first row to its last page") {
  constexpr extent table{25, 10};
  controls by;
  const auto after = [&](command what) {
    obey(what, {}, table, by);
    return by.first_row;
  };
  CHECK(after(command::line_up) == 0);
  CHECK(after(command::line_down) == 1);
  CHECK(after(command::page_down) == 11);
  CHECK(after(command::page_down) == 15);
  CHECK(after(command::line_down) == 15);
  CHECK(after(command::page_up) == 5);
  CHECK(after(command::last_line) == 15);
  CHECK(after(command::first_line) == 0);
}

TEST_CASE("a table that fits does not scroll") {
  controls by;
  obey(command::page_down, {}, {5, 10}, by);
  CHECK(by.first_row == 0);
}

TEST_CASE(
  "a table is shown from its first row after a change of table or pool") {
  const auto of = pools_named({"a", "b"});
  controls by;
  by.first_row = 3;
  obey(command::show_workers, of, {}, by);
  CHECK(by.first_row == 3);
  obey(command::show_flows, of, {}, by);
  CHECK(by.shown == table_kind::flows);
  CHECK(by.first_row == 0);
  by.first_row = 3;
  obey(command::next_pool, of, {}, by);
  CHECK(by.first_row == 0);
}

TEST_CASE("each table can be sorted by each of its columns in turn") {
  for (auto which :
       {table_kind::workers, table_kind::flows, table_kind::nodes}) {
    controls by;
    by.shown = which;
    const auto place = static_cast<std::size_t>(which);
    const auto count = columns_of(which);
    for (std::size_t i = 1; i <= count; ++i) {
      obey(command::sort, {}, {}, by);
      CHECK(by.sorted_by.at(place) == i % count);
    }
  }
}

TEST_CASE("pause and help can be turned on and off") {
  controls by;
  for (auto on : {true, false}) {
    obey(command::pause, {}, {}, by);
    obey(command::help, {}, {}, by);
    CHECK(by.is_paused == on);
    CHECK(by.has_help == on);
  }
  obey(command::none, {}, {}, by);
  CHECK_FALSE(by.has_quit);
  obey(command::quit, {}, {}, by);
  CHECK(by.has_quit);
}
