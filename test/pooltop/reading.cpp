/// What servers tell, also older, newer and wrong ones.

#include "pooltop/reading.hpp"

#include "pooltop/layout.hpp"
#include "pooltop/samples.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <array>

using namespace pooltop;
using nlohmann::json;

namespace {

/// Replaces each value of the document in turn, however deep it is, and visits
/// what comes out.
template <class Visit>
void for_each_change(json& part, const json& whole, const json& by,
                     Visit visit) {
  const auto before = part;
  part = by;
  visit(whole);
  part = before;
  if (part.is_structured())
    for (auto& each : part)
      for_each_change(each, whole, by, visit);
}

bool fits(const picture& drawn, std::size_t width, std::size_t height) {
  for (const auto& each : drawn.lines)
    if (each.width() > width)
      return false;
  return drawn.lines.size() == height;
}

void check_drawing(const json& from) {
  view what;
  what.told = read_snapshot(from.dump());
  what.was_told = true;
  what.known.add(what.told);
  what.known.add(what.told);
  for (auto which :
       {table_kind::workers, table_kind::flows, table_kind::nodes}) {
    what.chosen.shown = which;
    CHECK(fits(screen_of(what, 80, 24), 80, 24));
  }
  CHECK(fits(screen_of(what, 150, 12), 150, 12));
}

} // namespace

TEST_CASE("all values that a server sends are read") {
  const auto told = read_snapshot(test::busy_pools());
  CHECK(told.version == "0.1.0");
  REQUIRE(told.pools.size() == 2);
  const auto& pool = told.pools.front();
  CHECK(pool.name == "images");
  CHECK(pool.policy == "fair_queuing");
  CHECK(pool["capacity"] == 10000);
  CHECK(pool["left.crashed"] == 2);
  CHECK(pool["window.service_ms.p95"] == 1.4);
  CHECK(pool["window.arrived_per_s"] == 48000);
  REQUIRE(pool.matters.size() == 3);
  CHECK(pool.matters[0].loses_tasks);
  CHECK(pool.matters[2].sentence
        == "flow batch floods the pool: 790 of 812 waiting tasks");
  CHECK_FALSE(pool.matters[2].loses_tasks);
  CHECK(pool.refusals
        == reasons{{"the queue of the flow is full", 10},
                   {"the queue is full", 2}});
  REQUIRE(pool.flows.size() == 2);
  CHECK(pool.flows[1]["share"] == 0.28);
  REQUIRE(pool.members.size() == 4);
  CHECK(pool.members[1]["running_for_s"] == 42.4);
  CHECK(pool.members[2].state == "leaving");
  CHECK_FALSE(pool.members[3]["mean_ms"]);
  CHECK_FALSE(told.pools[1]["capacity"]);
  REQUIRE(told.pipelines.size() == 1);
  CHECK(told.pipelines[0].stages[1]["held"] == 8);
}

TEST_CASE("names are read in a form that is safe for a terminal") {
  const auto told = read_snapshot(test::busy_pools());
  CHECK(told.pools[0].members[3].name == "blöd\\x1b[31m");
  const auto other = read_snapshot(
    R"({"version": "\u001b", "pools": [{"name": "\u0007", "policy": "\n",
        "matters": [{"text": "\u001b"}], "refusals": {"\u009b": 1}}]})");
  CHECK(other.version == "\\x1b");
  CHECK(other.pools[0].name == "\\x07");
  CHECK(other.pools[0].policy == "\\n");
  CHECK(other.pools[0].matters.at(0).sentence == "\\x1b");
  CHECK(other.pools[0].refusals.front().first == "\\u{9b}");
}

TEST_CASE("a value that the server does not send is unknown, not 0") {
  const auto told = read_snapshot(R"({"pools": [{}]})");
  REQUIRE(told.pools.size() == 1);
  CHECK_FALSE(told.pools[0]["waiting"]);
  CHECK(told.pools[0].matters.empty());
  CHECK(told.version.empty());
}

TEST_CASE(
  "an answer with any value replaced by another is still read and drawn") {
  auto from = json::parse(test::busy_pools());
  const std::array<json, 8> others{
    json{},
    json(true),
    json("text"),
    json(-1.5),
    json(1e300),
    json(std::uint64_t{18446744073709551615U}),
    json::array({1, nullptr, json::object()}),
    json{{"p50", "x"}, {"name", 7}},
  };
  for (const auto& by : others)
    for (auto& [key, part] : from.items())
      if (key != "pools")
        for_each_change(part, from, by, check_drawing);
      else
        for (auto& pool : part)
          for_each_change(pool, from, by, check_drawing);
}

TEST_CASE("an answer without a list of pools is refused") {
  for (const char* text :
       {"", "<html>", "[]", "null", "{}", R"({"pools": {}})", "{\"pools\": [",
        R"({"pools": [], "x": 1e999})", "\xff"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_snapshot(text), unreadable);
  }
  CHECK_THROWS_WITH(read_snapshot("{}"), "the answer has no list of pools");
  CHECK_THROWS_WITH(read_snapshot("<html>"), "the answer is not JSON");
}

TEST_CASE("deeply nested lists do not exhaust the stack") {
  const std::string deep(100000, '[');
  CHECK_THROWS_AS(read_snapshot(deep), unreadable);
  CHECK(read_snapshot(R"({"pools": [], "x": )" + deep + std::string(100000, ']')
                      + '}')
          .pools.empty());
}
