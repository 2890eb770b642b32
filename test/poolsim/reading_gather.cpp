/// Gathers that are chosen by the names that the README has for them.

#include "poolsim/reading.hpp"
#include "poolsim/refusals.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using poolsim::read_scenario;
using test::check_refused;
using target = libpool::scatter::target;
using namespace std::chrono_literals;

namespace {

poolsim::scenario with_gather(const std::string& gather) {
  return read_scenario(R"({"workers": [{"count": 4}], "gather": )" + gather
                       + "}");
}

std::string scenario_of(const std::string& gather) {
  return R"({"workers": [{"count": 4}], "tasks": [{"service": 1}],
             "gather": )"
         + gather + "}";
}

} // namespace

TEST_CASE("a scenario without the member 'gather' has no gather plan") {
  CHECK_FALSE(static_cast<bool>(read_scenario("{}").gather));
}

TEST_CASE("the member 'gather' of a scenario accepts the name of each gather "
          "plan in the catalogue") {
  for (const auto& entry : libpool::gathering_policies()) {
    CAPTURE(std::string{entry.name});
    auto how = with_gather('"' + std::string{entry.name} + '"').gather;
    REQUIRE(static_cast<bool>(how));
    CHECK(how->asks().to == entry.make({})->asks().to);
  }
}

TEST_CASE("the options of a gather plan are read from the scenario") {
  auto some = with_gather(
    R"({"name": "quorum", "asked": 4, "needed": 3, "timeout": "5ms"})");
  CHECK(some.gather->asks().asked == 4);
  CHECK(some.gather->asks().needed == 3);
  CHECK(some.gather->is_timed());
  auto again =
    with_gather(R"({"name": "hedged", "after": "7ms", "budget": 50})");
  CHECK(again.gather->patience() == 7ms);
  auto late = with_gather(R"({"name": "hedged", "after": {"percentile": 90}})");
  CHECK_FALSE(late.gather->patience());
  auto split = with_gather(R"({"name": "managed_split_join", "parts": 6,
                               "join_what_came": true})");
  CHECK(split.gather->asks().to == target::parts);
  CHECK(split.parts == 6);
  CHECK(
    with_gather(R"({"name": "first_success", "asked": 3})").gather->asks().asked
    == 3);
}

TEST_CASE("an unknown gather plan is rejected with a list of the choices") {
  check_refused(scenario_of("\"half\""),
                "/gather: unknown name 'half', choose from: "
                "managed_split_join, broadcast_all, first_success, quorum, "
                "hedged");
}

TEST_CASE("an option that a gather plan does not have is rejected with a list "
          "of the options of the plan") {
  check_refused(scenario_of(R"({"name": "quorum", "budget": 5})"),
                "/gather/budget: unknown key; options of quorum: asked, "
                "needed, timeout");
  check_refused(scenario_of(R"({"name": "broadcast_all", "parts": 5})"),
                "/gather/parts: unknown key; options of broadcast_all: "
                "timeout, join_what_came");
  check_refused(scenario_of(R"({"name": "hedged", "after": {"rank": 5}})"),
                "/gather/after/rank: unknown key");
}

TEST_CASE("an option of a gather plan that is out of bounds is rejected, and "
          "the error names the option") {
  check_refused(scenario_of(R"({"name": "quorum", "needed": 4})"),
                "/gather: quorum: k must be between 1 and n (3), got 4");
  check_refused(scenario_of(R"({"name": "first_success", "asked": 0})"),
                "/gather/asked: must be at least 1");
  check_refused(scenario_of(R"({"name": "quorum", "timeout": 0})"),
                "/gather/timeout: must be above 0");
  check_refused(scenario_of(R"({"name": "hedged", "after": 0})"),
                "/gather/after: must be above 0");
  check_refused(
    scenario_of(R"({"name": "hedged", "after": {"percentile": 100}})"),
    "/gather/after: must be above 0, or a percentile above 0 and below 100");
  check_refused(scenario_of(R"({"name": "hedged", "budget": 101})"),
                "/gather/budget: must be above 0 and at most 100");
  check_refused(scenario_of(R"({"name": "managed_split_join", "parts": 0})"),
                "/gather/parts: must be at least 1");
  check_refused(
    scenario_of(R"({"name": "broadcast_all", "join_what_came": 1})"),
    "/gather/join_what_came: must be true or false");
}

TEST_CASE(
  "options that choose workers are refused if the gather chooses workers") {
  for (const char* key : {"home", "move"})
    check_refused(R"({"gather": "hedged", "tasks": [{"service": 1, ")"
                    + std::string{key} + "\": 0}]}",
                  "/tasks/0/" + std::string{key}
                    + ": must not be given with a gather that chooses workers");
  check_refused(
    R"({"gather": "quorum", "tasks": [{"service": 1, "only": [0]}]})",
    "/tasks/0/only: must not be given with a gather");
  check_refused(R"({"gather": "hedged", "policy": "consistent_hash"})",
                "/gather: hedged chooses the workers itself");
}

TEST_CASE("a scenario with too many tasks in total is rejected") {
  check_refused(
    R"({"gather": {"name": "managed_split_join", "parts": 100000000},
        "tasks": [{"service": 1, "count": 2}]})",
    "/tasks/0: the scenario must have at most 100000000 tasks in total");
}
