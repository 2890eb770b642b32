/// The invariants find a planted error: each of these tests expects as many
/// failures as that one causes, and names the checks that fail.

#include "poolsim/invariants.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using doctest::expected_failures;
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

using texts = std::vector<std::string>;

/// The checks of the present test that have failed.
texts& failed_checks() {
  static texts all;
  return all;
}

class failure_listener final : public doctest::IReporter {
public:
  explicit failure_listener(const doctest::ContextOptions&) {
    // nop
  }

  void test_case_start(const doctest::TestCaseData&) override {
    failed_checks().clear();
  }

  void log_assert(const doctest::AssertData& check) override {
    if (check.m_failed)
      failed_checks().emplace_back(check.m_expr);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("failed_checks", 1, failure_listener);

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// Fails the test more often than it expects, unless the failed checks begin
/// like this, one for each.
void have_failed(const texts& wanted) {
  auto found = failed_checks();
  if (std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(),
                 begins_with))
    return;
  for (std::size_t i = 0; i <= wanted.size(); ++i)
    FAIL_CHECK("other checks have failed than the planted error breaks");
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

TEST_CASE("a correct result violates no invariant") {
  check_invariants(seen(late, late_result()));
  check_invariants(seen(early, early_result()));
}

TEST_CASE("task counts that do not add up are detected"
          * expected_failures(2)) {
  check_ledger(seen(late, changed(late_result(), "/ledger/accepted", 4)));
  have_failed({R"(entry("accepted") == entry("completed"))",
               R"(entry("accepted") + entry("refused"))"});
}

TEST_CASE(
  "task counts that contradict the states of the single tasks are detected"
  * expected_failures(2)) {
  check_ledger(
    seen(late, changed(late_result(), "/tasks/2/outcome", "waiting")));
  have_failed({"entry(fate) ==", "entry(fate) =="});
}

TEST_CASE("a worker with a wrong busy time is detected"
          * expected_failures(1)) {
  check_sums(seen(late, changed(late_result(), "/workers/0/busy", 14)));
  have_failed({R"(row.at("busy") == busy)"});
}

TEST_CASE("a worker with a wrong running task is detected"
          * expected_failures(1)) {
  check_sums(seen(late, changed(late_result(), "/workers/0/running", {1})));
  have_failed({R"(sorted_ids(row.at("running")) ==)"});
}

TEST_CASE("a result with a wrong average number of occupied seats for a flow "
          "is detected"
          * expected_failures(1)) {
  check_sums(
    seen(late, changed(late_result(), "/flows/0/mean_seats/0", 1.6666)));
  have_failed({R"(row.at("mean_seats")[i])"});
}

TEST_CASE("a flow with a wrong number of tasks is detected"
          * expected_failures(1)) {
  check_sums(seen(late, changed(late_result(), "/flows/0/submitted", 2)));
  have_failed({R"(row.at("submitted") ==)"});
}

TEST_CASE("a makespan that is not the last end is detected"
          * expected_failures(1)) {
  check_sums(seen(late, changed(late_result(), "/makespan", 15)));
  have_failed({R"(run.number("makespan") ==)"});
}

TEST_CASE("a task with a wrong service time is detected"
          * expected_failures(1)) {
  check_times(seen(early, changed(early_result(), "/tasks/2/finished", 21)));
  have_failed({"may_take(run, task)"});
}

TEST_CASE("a task that starts before it is submitted is detected"
          * expected_failures(1)) {
  check_times(
    seen(early, changed(changed(early_result(), "/tasks/3/started", 29),
                        "/tasks/3/finished", 39)));
  have_failed({"task.submitted <= *task.started"});
}

TEST_CASE("a task on a worker that it may not run on is detected"
          * expected_failures(1)) {
  check_places(seen(early, changed(early_result(), "/tasks/3/worker", 0)));
  have_failed({"std::any_of(works.begin(), works.end(), allows_it)"});
}

TEST_CASE(
  "two tasks that have the same seat of a worker at the same time are detected"
  * expected_failures(1)) {
  check_places(seen(early, late_start_of_2(9)));
  have_failed({"taken <="});
}

TEST_CASE("a task that waits while a worker is idle is detected"
          * expected_failures(1)) {
  check_no_worker_idles(
    seen(late, changed(late_result(), "/tasks/2/started", 11)));
  have_failed({"all.first() == std::nullopt"});
}

TEST_CASE("a worker that pauses between two tasks although both are assigned "
          "to it is detected"
          * expected_failures(1)) {
  check_no_gaps(seen(early, late_start_of_2(12)));
  have_failed({"*each->started =="});
}

TEST_CASE("a wrong order of tasks is detected" * expected_failures(2)) {
  auto swapped = late_start_of_2(0);
  swapped["tasks"][0]["started"] = 10;
  swapped["tasks"][0]["finished"] = 20;
  check_no_gaps(seen(early, swapped));
  have_failed({"*each->started ==", "*each->started =="});
}
