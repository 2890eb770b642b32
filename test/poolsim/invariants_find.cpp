/// The invariants find what is broken: each of these cases is to fail.

#include "poolsim/invariants.hpp"

#include <doctest/doctest.h>

#include <string>

using nlohmann::json;
using test::observed;

namespace {

// Two workers; tasks 0 and 1 run at once, then 2 on worker 0, until 15.
constexpr const char* late = R"({"workers": [{"count": 2}], "placement":
  "least_used", "assignment": "lazy", "window": 1, "tasks": [
    {"service": 10, "count": 3, "only": [0, 1], "loose": true}], "until": 15})";

// Worker 0 runs tasks 0 and 2, worker 1 runs task 1.
constexpr const char* early = R"({"workers": [{"count": 2}], "placement":
  "least_used", "assignment": "eager", "window": 1, "tasks": [
    {"service": 10, "count": 3}, {"at": 30, "service": 10, "only": [1]}]})";

json late_result() {
  return json::parse(R"({"now": 15, "makespan": 10, "steals": 0, "tasks": [
    {"id": 0, "flow": "", "worker": 0, "submitted": 0, "started": 0,
     "finished": 10, "outcome": "completed", "moves": 0},
    {"id": 1, "flow": "", "worker": 1, "submitted": 0, "started": 0,
     "finished": 10, "outcome": "completed", "moves": 0},
    {"id": 2, "flow": "", "worker": 0, "submitted": 0, "started": 10,
     "finished": null, "outcome": "running", "moves": 0}],
   "workers": [
    {"id": 0, "completed": 1, "busy": 15, "running": [2], "queued": []},
    {"id": 1, "completed": 1, "busy": 10, "running": [], "queued": []}],
   "flows": [{"flow": "", "submitted": 3, "completed": 2, "failed": 0,
              "cancelled": 0, "refused": 0,
              "waiting": 0, "mean_seats": [1.6666666666666667]}],
   "ledger": {"accepted": 3, "completed": 2, "failed": 0, "cancelled": 0,
              "refused": 0, "waiting": 0, "assigned": 0, "running": 1}})");
}

json early_result() {
  return json::parse(R"({"now": 40, "makespan": 40, "steals": 0, "tasks": [
    {"id": 0, "flow": "", "worker": 0, "submitted": 0, "started": 0,
     "finished": 10, "outcome": "completed", "moves": 0},
    {"id": 1, "flow": "", "worker": 1, "submitted": 0, "started": 0,
     "finished": 10, "outcome": "completed", "moves": 0},
    {"id": 2, "flow": "", "worker": 0, "submitted": 0, "started": 10,
     "finished": 20, "outcome": "completed", "moves": 0},
    {"id": 3, "flow": "", "worker": 1, "submitted": 30, "started": 30,
     "finished": 40, "outcome": "completed", "moves": 0}],
   "workers": [
    {"id": 0, "completed": 2, "busy": 20, "running": [], "queued": []},
    {"id": 1, "completed": 2, "busy": 20, "running": [], "queued": []}],
   "flows": [{"flow": "", "submitted": 4, "completed": 4, "failed": 0,
              "cancelled": 0, "refused": 0,
              "waiting": 0, "mean_seats": [1.0]}],
   "ledger": {"accepted": 4, "completed": 4, "failed": 0, "cancelled": 0,
              "refused": 0, "waiting": 0, "assigned": 0, "running": 0}})");
}

/// The result with another value in one place.
json changed(json result, const char* where, const json& value) {
  result[json::json_pointer{where}] = value;
  return result;
}

observed seen(const char* scenario, const json& result) {
  return {scenario, result.dump()};
}

/// Task 2 starts that late, and still takes as long.
json late_start_of_2(std::int64_t at) {
  return changed(changed(early_result(), "/tasks/2/started", at),
                 "/tasks/2/finished", at + 10);
}

} // namespace

TEST_CASE("results without an error break no invariant") {
  check_invariants(seen(late, late_result()));
  check_invariants(seen(early, early_result()));
}

TEST_CASE("a ledger that does not add up is found" * doctest::should_fail()) {
  check_ledger(seen(late, changed(late_result(), "/ledger/accepted", 4)));
}

TEST_CASE("a ledger that contradicts the tasks is found"
          * doctest::should_fail()) {
  check_ledger(
    seen(late, changed(late_result(), "/tasks/2/outcome", "waiting")));
}

TEST_CASE("a worker with a wrong busy time is found" * doctest::should_fail()) {
  check_sums(seen(late, changed(late_result(), "/workers/0/busy", 14)));
}

TEST_CASE("a worker that says that it runs another task is found"
          * doctest::should_fail()) {
  check_sums(seen(late, changed(late_result(), "/workers/0/running", {1})));
}

TEST_CASE("a wrong average of seats is found" * doctest::should_fail()) {
  check_sums(
    seen(late, changed(late_result(), "/flows/0/mean_seats/0", 1.6666)));
}

TEST_CASE("a flow with a wrong number of tasks is found"
          * doctest::should_fail()) {
  check_sums(seen(late, changed(late_result(), "/flows/0/submitted", 2)));
}

TEST_CASE("a makespan that is not the last end is found"
          * doctest::should_fail()) {
  check_sums(seen(late, changed(late_result(), "/makespan", 15)));
}

TEST_CASE("a task with a wrong service time is found"
          * doctest::should_fail()) {
  check_times(seen(early, changed(early_result(), "/tasks/2/finished", 21)));
}

TEST_CASE("a task that starts before it is submitted is found"
          * doctest::should_fail()) {
  check_times(
    seen(early, changed(changed(early_result(), "/tasks/3/started", 29),
                        "/tasks/3/finished", 39)));
}

TEST_CASE("a task on a worker where it must not run is found"
          * doctest::should_fail()) {
  check_places(seen(early, changed(early_result(), "/tasks/3/worker", 0)));
}

TEST_CASE("two tasks on one seat are found" * doctest::should_fail()) {
  check_places(seen(early, late_start_of_2(9)));
}

TEST_CASE("a task that waits beside an idle worker is found"
          * doctest::should_fail()) {
  check_no_worker_idles(
    seen(late, changed(late_result(), "/tasks/2/started", 11)));
}

TEST_CASE("a gap between two tasks of a worker is found"
          * doctest::should_fail()) {
  check_no_gaps(seen(early, late_start_of_2(12)));
}

TEST_CASE("a wrong order of tasks is found" * doctest::should_fail()) {
  auto swapped = late_start_of_2(0);
  swapped["tasks"][0]["started"] = 10;
  swapped["tasks"][0]["finished"] = 20;
  check_no_gaps(seen(early, swapped));
}
