/// The invariants find planted errors.

#include "poolsim/invariants.hpp"
#include "poolsim/runs.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace poolsim_invariants_find_tests {

namespace {

using doctest::expected_failures;
using nlohmann::json;
using test::observed;

// Two workers; tasks 0 and 1 run at once, then 2 on worker 0, until 15.
constexpr const char* late = R"({"workers": [{"count": 2}], "placement":
  "least_used", "assignment": "lazy", "window": 1, "tasks": [
    {"service": 10, "count": 3, "only": [0, 1], "loose": true}], "until": 15})";

// Worker 0 runs tasks 0 and 2, worker 1 runs task 1.
constexpr const char* early = R"({"workers": [{"count": 2}], "placement":
  "least_used", "assignment": "eager", "window": 1, "tasks": [
    {"service": 10, "count": 3}, {"at": 30, "service": 10, "only": [1]}]})";

/// The result with another value in one place.
json changed(json result, const char* where, const json& value) {
  result[json::json_pointer{where}] = value;
  return result;
}

observed seen(const char* scenario, const json& result) {
  return {scenario, result.dump()};
}

/// The result of a scenario, which is right.
json result_of(const char* scenario) {
  return json::parse(
    test::report_of(poolsim::simulate(poolsim::read_scenario(scenario))));
}

/// Task 2 starts that late, and still takes as long.
json late_start_of_2(std::int64_t at) {
  return changed(changed(result_of(early), "/tasks/2/started", at),
                 "/tasks/2/finished", at + 10);
}

struct planted_error {
  std::string fact;
  void (*check)(const observed&);
  const char* scenario;
  json result;
};

std::vector<planted_error> planted_errors() {
  auto wrong = [](const char* where, const json& value) {
    return changed(result_of(late), where, value);
  };
  auto swapped = late_start_of_2(0);
  swapped["tasks"][0]["started"] = 10;
  swapped["tasks"][0]["finished"] = 20;
  return {
    {"task counts that do not add up", test::check_ledger, late,
     wrong("/ledger/accepted", 4)},
    {"task counts that contradict the states of the single tasks",
     test::check_ledger, late, wrong("/tasks/2/outcome", "waiting")},
    {"a wrong busy time", test::check_sums, late, wrong("/workers/0/busy", 14)},
    {"a wrong running task", test::check_sums, late,
     wrong("/workers/0/running", {1})},
    {"a wrong average number of occupied seats", test::check_sums, late,
     wrong("/flows/0/mean_seats/0", 1.6666)},
    {"a wrong number of tasks of a flow", test::check_sums, late,
     wrong("/flows/0/submitted", 2)},
    {"a makespan that is not the last end", test::check_sums, late,
     wrong("/makespan", 15)},
    {"a wrong number of attempts", test::check_sums, late,
     wrong("/attempts/tasks", {2, 1})},
    {"a reason of a cancel that no task has", test::check_sums, late,
     wrong("/cancelled_by/cancelled", 1)},
    {"a reason of a failure that no task has", test::check_sums, late,
     wrong("/failed_by/poisoned", 1)},
    {"a wrong service time", test::check_times, early,
     changed(result_of(early), "/tasks/2/finished", 21)},
    {"a task that starts before it is submitted", test::check_times, early,
     changed(changed(result_of(early), "/tasks/3/started", 29),
             "/tasks/3/finished", 39)},
    {"a task on a worker that it may not run on", test::check_places, early,
     changed(result_of(early), "/tasks/3/worker", 0)},
    {"two tasks that have the same seat at the same time", test::check_places,
     early, late_start_of_2(9)},
    {"a task that waits while a worker is idle", test::check_no_worker_idles,
     late, wrong("/tasks/2/started", 11)},
    {"a worker that pauses between two of its tasks", test::check_no_gaps,
     early, late_start_of_2(12)},
    {"a wrong order of tasks", test::check_no_gaps, early, swapped},
  };
}

} // namespace

TEST_CASE("a correct result violates no invariant") {
  test::check_invariants(seen(late, result_of(late)));
  test::check_invariants(seen(early, result_of(early)));
}

TEST_CASE("each planted error is detected" * expected_failures(20)) {
  for (const auto& error : planted_errors()) {
    INFO(error.fact);
    error.check(seen(error.scenario, error.result));
  }
}

} // namespace poolsim_invariants_find_tests
