/// The comparison of all policies.

#include "poolsim/recommend.hpp"
#include "poolsim/process.hpp"
#include "poolsim/runs.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace {

std::string recommendation(const std::string& members) {
  std::ostringstream out;
  poolsim::write_recommendation(out, "{" + members + "}");
  return out.str();
}

void check_has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CAPTURE(part);
  CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("the index of fairness compares the work for each flow with its fair "
          "part") {
  // One worker. While both flows have tasks, each fair part is 1/2. First come
  // first served: until 9 s, the flood gets all; its 9 s are twice its part,
  // the last second is all of the other flow, whose part is 9/2 + 1.
  auto fairness = [](const std::string& policy) {
    std::vector<poolsim::task_run> runs;
    auto all = test::simulated(R"("policy": ")" + policy + R"(", "tasks": [
        {"flow": "flood", "service": "1s", "count": 9},
        {"flow": "other", "service": "1s"}])",
                               [&](const auto& run) { runs.push_back(run); });
    return fairness_of(all, runs);
  };
  auto x = 2.0;
  auto y = 1 / 5.5;
  CHECK(fairness("shared_queue").value()
        == doctest::Approx((x + y) * (x + y) / (2 * (x * x + y * y))));
  // Each flow has had its part to within one task.
  CHECK(fairness("fair_queuing").value() > 0.9);
}

TEST_CASE("fairness is unknown with one flow") {
  auto all = test::simulated(R"("tasks": [{"service": 1}])");
  CHECK(!fairness_of(all, {}));
}

TEST_CASE("the policy that shares evenly is recommended if a flow floods the "
          "pool") {
  const std::string flood = R"("workers": [{"count": 4}], "tasks": [
    {"flow": "flood", "count": 500, "service": "10ms"},
    {"flow": "quiet", "count": 25, "every": "20ms", "service": "10ms"}])";
  auto text = recommendation(flood);
  check_has(text, "\nChoose `fair_queuing`: 100.00 % of the tasks complete, "
                  "Jain's index of the flows is 1.00, ");
  check_has(text, "; with `shared_queue`, it is ");
  check_has(text, "Not tried: `priority`, no task has a priority; ");
  CHECK(text.find("| priority") == std::string::npos);
  CHECK(recommendation(flood) == text);
}

TEST_CASE("the policy that knows slow workers is recommended if a worker is "
          "slow") {
  auto text = recommendation(
    R"("workers": [{"count": 3}, {"speed": 0.25}], "tasks": [
      {"service": "1ms", "count": 400, "every": "400us"}])");
  check_has(text, "\nChoose `fair_share`: ");
  check_has(text, " is 1 ms, the lowest ");
  check_has(text, "`consistent_hash`, all tasks have the same flow.\n");
}

TEST_CASE("a policy is preferred to faster ones that complete fewer tasks") {
  // Only by deadline, the short deadlines are met; one at a time is late
  // otherwise. Times of responses are longer: more tasks wait.
  auto text = recommendation(R"("tasks": [
    {"service": "10ms", "count": 10, "deadline": "1s"},
    {"service": "10ms", "at": "1ms", "deadline": "25ms"}])");
  check_has(text, "\nChoose `earliest_deadline`: 100.00 % of the tasks");
}

TEST_CASE("a comparison reports the share of the work that was lost") {
  // One run of 10 ms is lost with its worker in 5 ms, of 25 ms in all.
  auto text = recommendation(R"("on_crash": "retry",
    "workers": [{"crash": "5ms"}, {"join": "5ms"}],
    "tasks": [{"count": 2, "service": "10ms"}])");
  check_has(text, "| shared_queue ");
  check_has(text, " 20.00 % |\n");
}

TEST_CASE("a comparison keeps the options of the policy of the scenario") {
  auto with = [](const std::string& policy) {
    return recommendation(R"("workers": [{"count": 4}], "policy": )" + policy
                          + R"(, "tasks": [{"count": 99, "service": "1ms"}])");
  };
  CHECK(with(R"({"name": "managed_random", "seed": 5})")
        != with(R"("managed_random")"));
}

TEST_CASE("option --recommend prints tables only") {
  auto ended = test::run_poolsim({"--recommend", "-"},
                                 R"({"tasks": [{"service": 1}]})");
  CHECK(ended.status == 0);
  CHECK(ended.out == recommendation(R"("tasks": [{"service": 1}])"));
  CHECK(test::run_poolsim({"--recommend", "--table", "-"}, "{}").status == 2);
  CHECK(test::run_poolsim({"--recommend", "-"}, R"({"x": 1})").status == 2);
}
