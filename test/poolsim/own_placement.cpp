/// The placement of examples/own_placement.cpp, on a virtual clock. All numbers
/// are derived by hand.

#include "most_recently_used.hpp"

#include "poolsim/runs.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace poolsim_own_placement_tests {

namespace {

using namespace std::chrono_literals;

std::vector<int> workers(const std::string& scenario) {
  return test::workers(
    poolsim::simulate(poolsim::read_scenario(scenario), few_warm_workers()));
}

std::size_t workers_used(const poolsim::result& result) {
  auto all = test::workers(result);
  return std::set<int>(all.begin(), all.end()).size();
}

/// How many tasks run at once, at most: as many as there are at the start of
/// one of them. Ends come before starts.
std::size_t most_at_once(const poolsim::result& result) {
  std::size_t out = 0;
  for (const auto& each : result.tasks) {
    auto runs_then = [&](const poolsim::task_row& other) {
      return other.started <= each.started && each.started < other.finished;
    };
    auto n = std::count_if(result.tasks.begin(), result.tasks.end(), runs_then);
    out = std::max(out, static_cast<std::size_t>(n));
  }
  return out;
}

using ids = std::vector<int>;

} // namespace

TEST_CASE("the idle worker that was chosen last, of those that a task permits, "
          "gets the next task") {
  // A burst uses 0, 1 and 2, in this order, for 1 ms. At 10 ms all are idle and
  // 2 was chosen last. It is busy until 15 ms, so at 11 ms it is 1's turn,
  // which ends at 12 ms; then 1 was chosen last, and is idle at 13 ms.
  CHECK(workers(R"({"workers": [{"count": 4}], "tasks": [
    {"service": "1ms", "count": 3}, {"at": "10ms", "service": "5ms"},
    {"at": "11ms", "service": "1ms"}, {"at": "13ms", "service": "1ms"}]})")
        == ids{0, 1, 2, 2, 1, 1});
  // Worker 2 was chosen last of all, and 1 last of the permitted workers.
  CHECK(workers(R"({"workers": [{"count": 3}], "tasks": [
    {"service": "1ms", "count": 3},
    {"at": "10ms", "service": "1ms", "only": [0, 1]}]})")
        == ids{0, 1, 2, 1});
}

TEST_CASE("the number of workers used is the maximum number of tasks that ran "
          "at the same time") {
  // One that was never used is chosen only if all others are busy: then, with
  // the new task, as many run as have been used.
  CHECK(rc::check([] {
    poolsim::scenario scenario;
    scenario.workers.resize(*rc::gen::inRange<std::size_t>(1, 6));
    scenario.flows = {"all"};
    for (auto [at, service] :
         *rc::gen::container<std::vector<std::pair<int, int>>>(
           rc::gen::pair(rc::gen::inRange(0, 100), rc::gen::inRange(1, 20)))) {
      auto& added = scenario.tasks.emplace_back();
      added.at = std::chrono::milliseconds{at};
      added.service = {std::chrono::milliseconds{service}};
    }
    const auto all = poolsim::simulate(scenario, few_warm_workers());
    RC_ASSERT(workers_used(all) == most_at_once(all));
  }));
}

} // namespace poolsim_own_placement_tests
