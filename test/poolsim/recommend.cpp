/// The comparison of all policies, and scenarios of traces.

#include "poolsim/recommend.hpp"
#include "poolsim/element.hpp"
#include "poolsim/from_trace.hpp"
#include "poolsim/process.hpp"
#include "poolsim/runs.hpp"
#include "support/scratch_folder.hpp"

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

std::string scenario_of(const std::string& events) {
  std::ostringstream out;
  poolsim::write_scenario(out, R"({"traceEvents": [)" + events + "]}");
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

TEST_CASE("a scenario of a trace has the tasks and the workers of the trace") {
  // Task 1 ran twice, task 2 did not run; "task" stands for no flow. The second
  // worker had two threads.
  CHECK(scenario_of(R"x(
    {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"a"}},
    {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"b"}},
    {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"b (2)"
}
},
    {"ph":"X","pid":1,"tid":1,"ts":2.5,"dur":4,"name":"task",
     "args":{"task":1,"outcome":"worker_crashed","kind":"i32"}},
    {"ph":"X","pid":1,"tid":2,"ts":9,"dur":1.001,"name":"task",
     "args":{"task":1,"outcome":"completed","kind":"i32"}},
    {"ph":"X","pid":1,"tid":3,"ts":0,"dur":2,"name":"x",
     "args":{"task":3,"outcome":"completed"}},
    {"ph":"M","pid":2,"tid":4,"name":"thread_name","args":{"name":"c"}},
    {"ph":"b","cat":"waiting","pid":2,"tid":4,"id":0,"ts":1,"name":"task",
     "args":{"task":1,"outcome":"completed"}},
    {"ph":"b","cat":"waiting","pid":2,"tid":4,"id":1,"ts":0.5,"name":"x",
     "args":{"task":2,"outcome":"waiting"}},
    {"ph":"i","pid":2,"tid":4,"ts":3,"name":"cancelled",
     "args":{"task":2,"outcome":"cancelled"}})x")
        == R"({"policy":"shared_queue",
 "workers":[{"seats":1},{"seats":2}],
 "tasks":[
  {"at":0,"service":2000,"flow":"x"},
  {"at":500,"service":2333,"flow":"x"},
  {"at":1000,"service":1001,"kind":"i32"}]}
)");
}

TEST_CASE("a text that is not the trace of a pool is an error") {
  CHECK_THROWS_WITH_AS(scenario_of(""),
                       "/traceEvents: must have a worker and a task that ran",
                       poolsim::invalid_scenario);
  auto ended = test::run_poolsim({"--from", "-"}, R"({"tasks": []})");
  CHECK(ended.status == 2);
  CHECK(ended.err
        == "poolsim: the text is not a trace that poolctl record, the live "
           "page or poolsim --trace has written\n");
}

TEST_CASE("the scenario of a trace of poolsim has the result of the scenario "
          "that was traced") {
  const scratch_folder folder;
  auto trace = folder / "trace.json";
  auto first = test::run_poolsim({"--summary", "--trace", trace, "-"},
                                 R"({"policy": "shared_queue",
    "workers": [{"count": 2, "seats": 2}],
    "tasks": [{"count": 500, "flow": "a",
      "every": {"distribution": "exponential", "mean": "1ms"},
      "service": {"distribution": "exponential", "mean": "3ms"}}]})");
  auto scenario = test::run_poolsim({"--from", trace});
  REQUIRE(scenario.status == 0);
  CHECK(test::run_poolsim({"--summary", "-"}, scenario.out).out == first.out);
  CHECK(test::run_poolsim({"--from", trace, "-"}).status == 2);
}
