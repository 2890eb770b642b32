#include "pooltop/controls.hpp"

#include "pooltop/orders.hpp"
#include "pooltop/table.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

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
          "of the list, and treats pools with the same name as one pool") {
  auto of = pools_named({"a", "b", "c"});
  CHECK(walk(of, command::next_pool, 4) == names{"b", "c", "a", "b"});
  CHECK(walk(of, command::previous_pool, 4) == names{"c", "b", "a", "c"});
  of = pools_named({"a", "a", "b"});
  CHECK(walk(of, command::next_pool, 3) == names{"b", "a", "b"});
  CHECK(walk(pools_named({"a", "a"}), command::next_pool, 1) == names{"a"});
  CHECK(walk({}, command::next_pool, 2) == names{"", ""});
}

TEST_CASE("the first pool is shown while the selected pool does not exist") {
  const auto of = pools_named({"a", "b"});
  CHECK(chosen_pool(of, "b")->name == "b");
  CHECK(chosen_pool(of, "gone")->name == "a");
  CHECK(chosen_pool({}, "a") == nullptr);
}

TEST_CASE("a table scrolls from its first row to its last page") {
  controls by;
  const auto after = [&](command what, extent table) {
    obey(what, {}, table, by);
    return by.first_row;
  };
  constexpr extent large{25, 10};
  CHECK(after(command::line_up, large) == 0);
  CHECK(after(command::line_down, large) == 1);
  CHECK(after(command::page_down, large) == 11);
  CHECK(after(command::page_down, large) == 15);
  CHECK(after(command::line_down, large) == 15);
  CHECK(after(command::page_up, large) == 5);
  CHECK(after(command::last_line, large) == 15);
  CHECK(after(command::first_line, large) == 0);
  CHECK(after(command::page_down, {5, 10}) == 0);
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
    const auto count = columns_of(which);
    for (std::size_t i = 1; i <= count; ++i) {
      obey(command::sort, {}, {}, by);
      CHECK(by.sorted_by.at(static_cast<std::size_t>(which)) == i % count);
    }
  }
}

namespace {

/// Pools that the user may change.
snapshot pools_with_flows() {
  auto result = pools_named({"a/b", "c"});
  result.may_control = true;
  auto& first = result.pools.front();
  first.key = "a/b";
  first.numbers["workers"] = 4;
  for (const std::string name : {"", "gold & co", "silver"}) {
    auto& flow = first.flows.emplace_back();
    flow.name = flow.key = name;
  }
  return result;
}

/// The order that commands lead to; empty: none.
std::string order_of(const std::vector<command>& keys, const snapshot& of) {
  controls by;
  for (auto key : keys)
    obey(key, of, {}, by);
  return by.order;
}

} // namespace

TEST_CASE("commands change nothing unless the token allows to change pools") {
  auto of = pools_with_flows();
  of.may_control = false;
  for (auto key :
       {command::pause_pool, command::drain_pool, command::add_worker,
        command::remove_worker, command::cancel_flow, command::cancel_all}) {
    CHECK(order_of({key}, of).empty());
    CHECK(order_of({key, command::yes}, of).empty());
  }
}

TEST_CASE("commands that can be undone are orders at once") {
  auto of = pools_with_flows();
  const std::string path = "/api/v1/pools/a%2Fb/";
  CHECK(order_of({command::pause_pool}, of) == path + "pause");
  CHECK(order_of({command::add_worker}, of) == path + "resize?n=5");
  CHECK(order_of({command::remove_worker}, of) == path + "resize?n=3");
  of.pools.front().numbers["is_paused"] = 1;
  CHECK(order_of({command::pause_pool}, of) == path + "resume");
  of.pools.front().numbers["workers"] = 1;
  CHECK(order_of({command::remove_worker}, of).empty());
}

TEST_CASE("commands that destroy work are orders only after a yes") {
  const auto of = pools_with_flows();
  const std::string path = "/api/v1/pools/a%2Fb/";
  for (const auto& [key, request] : {std::pair{command::drain_pool, "drain"},
                                     {command::cancel_all, "cancel?all=true"},
                                     {command::cancel_flow, "cancel?flow="}}) {
    CHECK(order_of({key}, of).empty());
    CHECK(order_of({key, command::show_nodes, command::yes}, of).empty());
    CHECK(order_of({key, command::yes}, of) == path + request);
  }
  CHECK(order_of({command::cancel_flow, command::line_down, command::line_down,
                  command::yes},
                 of)
        == path + "cancel?flow=silver");
  CHECK(order_of({command::cancel_flow, command::line_down, command::line_down,
                  command::line_up, command::yes},
                 of)
        == path + "cancel?flow=gold%20%26%20co");
  controls by;
  obey(command::cancel_flow, of, {}, by);
  CHECK(question(of, by)
        == "Cancel the flow without a name of a/b? y yes, n no, up/down other "
           "flow");
}

TEST_CASE("a question stays about the pool that was chosen when it was asked") {
  auto of = pools_with_flows();
  controls by;
  obey(command::drain_pool, of, {}, by);
  of.pools.erase(of.pools.begin());
  obey(command::yes, of, {}, by);
  CHECK(by.order.empty());
}
