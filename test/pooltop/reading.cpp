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

TEST_CASE("names are read in a form that is safe for a terminal") {
  const auto other = read_snapshot(
    R"({"version": "\u001b", "pools": [{"name": "\u0007", "policy": "\n",
        "matters": [{"text": "\u001b"}], "refusals": {"\u009b": 1}}]})");
  CHECK(other.version == "\\x1b");
  CHECK(other.pools[0].name == "\\x07");
  CHECK(other.pools[0].policy == "\\n");
  CHECK(other.pools[0].matters.at(0).sentence == "\\x1b");
  CHECK(other.pools[0].refusals.front().first == "\\u{9b}");
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
