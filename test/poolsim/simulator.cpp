/// The public header of the simulator: what programs that have the installed
/// library alone run policies of their own with. All numbers are derived by
/// hand.

#include "libpool/simulator/simulator.hpp"
#include "median_of_five.hpp"
#include "most_recently_used.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace simulator_tests {

namespace {

using namespace std::chrono_literals;

using libpool::invalid_scenario;
using libpool::simulate;
using libpool::simulated_state;

} // namespace

TEST_CASE("a simulation runs the policy that its scenario names") {
  // Two workers: the third task waits for 10 ms.
  auto run = simulate(R"({"workers": [{"count": 2}], "policy": "shared_queue",
    "tasks": [{"service": "10ms", "count": 3, "flow": "a"}]})");
  REQUIRE(run.tasks.size() == 3);
  CHECK(run.tasks[2].submitted == 0ms);
  CHECK(run.tasks[2].started == 10ms);
  CHECK(run.tasks[2].finished == 20ms);
  CHECK(run.tasks[2].state == simulated_state::completed);
  CHECK(run.flows.at(run.tasks[2].flow) == "a");
  CHECK(run.workers.at(0).completed + run.workers.at(1).completed == 3);
  CHECK(run.workers.at(0).busy + run.workers.at(1).busy == 30ms);
  CHECK(run.counts.completed == 3);
  CHECK(run.makespan == 20ms);
}

TEST_CASE("a simulation reports the state and the reason of each task") {
  auto run =
    simulate(R"({"capacity": 1, "until": "5ms", "policy": "shared_queue",
    "tasks": [{"service": "2ms", "count": 3}, {"at": "3ms", "service": "9ms"}]})");
  CHECK(run.tasks.at(0).state == simulated_state::completed);
  CHECK(run.tasks.at(1).state == simulated_state::completed);
  CHECK(run.tasks.at(2).state == simulated_state::refused);
  CHECK(run.tasks.at(2).reason == libpool::errc::queue_full);
  CHECK(!run.tasks.at(2).started);
  CHECK(!run.tasks.at(2).worker);
  CHECK(run.tasks.at(3).state == simulated_state::running);
  CHECK(run.tasks.at(3).started == 4ms);
  CHECK(!run.tasks.at(3).finished);
  CHECK(run.ended == 5ms);
}

TEST_CASE("a simulation reports the attempts and the error of each task") {
  auto run = simulate(R"({"policy": "shared_queue", "retry_on": {"attempts": 2},
    "backoff": {"first": 0, "most": 0}, "tasks": [
      {"service": "2ms", "errors": {"busy": 1}}, {"service": "2ms"}]})");
  CHECK(run.tasks.at(0).state == simulated_state::completed);
  CHECK(run.tasks.at(0).attempts == 2);
  CHECK(run.tasks.at(0).retried_errors == 1);
  CHECK(run.tasks.at(0).error == "busy");
  CHECK(run.tasks.at(0).finished == 4ms);
  CHECK(run.tasks.at(1).attempts == 1);
  CHECK(run.tasks.at(1).error.empty());
}

TEST_CASE("a simulation runs a user-defined placement") {
  // A task of 10 ms every 4 ms: three run at once, of eight workers.
  auto run = simulate(R"({"workers": [{"count": 8}], "tasks": [
    {"service": "10ms", "count": 100, "every": "4ms"}]})",
                      few_warm_workers());
  for (std::size_t i = 0; i < run.workers.size(); ++i)
    CHECK((run.workers[i].completed > 0) == (i < 3));
}

TEST_CASE("a simulation runs a user-defined gather") {
  auto run = simulate(R"({"workers": [{"count": 5}], "tasks": [
    {"service": ["1ms", "2ms", "3ms", "40ms", "90ms"]}]})",
                      median_of_five{10ms});
  REQUIRE(run.messages.size() == 1);
  CHECK(run.messages[0].state == libpool::simulated_answer::answered);
  CHECK(run.messages[0].finished == 10ms);
  CHECK(run.messages[0].tasks.size() == 5);
}

TEST_CASE("the error about an invalid scenario states where in the scenario "
          "the error is") {
  CHECK_THROWS_WITH_AS(simulate(R"({"workers": [{"count": 0}]})"),
                       "/workers/0/count: must be at least 1, got 0",
                       invalid_scenario);
}

TEST_CASE("a scenario that names a part of the policy that the program defines "
          "itself is rejected") {
  for (const std::string key :
       {"policy", "order", "placement", "stealing", "assignment", "shares"}) {
    auto text = "{\"" + key + "\": \"fifo\"}";
    auto error = "/" + key + ": must not be given, since the program sets it";
    CHECK_THROWS_WITH_AS(simulate(text, few_warm_workers()), error.c_str(),
                         invalid_scenario);
  }
  const std::vector<std::pair<const char*, const char*>> rows{
    {R"({"gather": "quorum"})",
     "/gather: must not be given, since the program sets it"},
    {R"({"tasks": [{"service": 1, "home": 0}]})",
     "/tasks/0/home: must not be given with a gather that chooses workers"},
    {R"({"policy": "consistent_hash"})",
     "/: a gather that chooses workers cannot be combined with "
     "consistent_hash"}};
  for (auto [text, error] : rows)
    CHECK_THROWS_WITH_AS(simulate(text, median_of_five{10ms}), error,
                         invalid_scenario);
}

TEST_CASE(
  "a user-defined policy that lacks an order or a placement is rejected") {
  libpool::composition parts;
  CHECK_THROWS_AS(simulate("{}", std::move(parts)), std::invalid_argument);
}

} // namespace simulator_tests
