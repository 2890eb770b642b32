/// Deadlines, and workers that crash. All numbers are derived by hand; times
/// are in ms.

#include "poolsim/chart.hpp"
#include "poolsim/reading.hpp"
#include "poolsim/report.hpp"
#include "poolsim/simulation.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace poolsim_failures_tests {

namespace {

using libpool::errc;
using poolsim::fate;
using poolsim::result;
using poolsim::task_row;
using poolsim::task_run;

/// One queue, from which idle workers take the next task.
result simulated(const std::string& rest,
                 const poolsim::run_listener& listener = {}) {
  return poolsim::simulate(
    poolsim::read_scenario(
      R"({"placement": "least_used", "assignment": "lazy", "window": 1, )"
      + rest + "}"),
    listener);
}

/// -1: not yet.
std::vector<double> times(const result& result,
                          poolsim::duration task_row::*member) {
  std::vector<double> all;
  for (const auto& each : result.tasks) {
    auto time = each.*member;
    all.push_back(
      time == poolsim::not_yet ? -1 : static_cast<double>(time.count()) / 1e6);
  }
  return all;
}

std::vector<double> starts(const result& result) {
  return times(result, &task_row::started);
}

std::vector<double> ends(const result& result) {
  return times(result, &task_row::finished);
}

/// The worker of each task; -1: none.
std::vector<int> workers(const result& result) {
  std::vector<int> all;
  for (const auto& each : result.tasks)
    all.push_back(
      each.worker == poolsim::nobody ? -1 : static_cast<int>(each.worker));
  return all;
}

bool is_cancelled(const task_row& row) {
  return row.is == fate::cancelled && row.why == errc::deadline_exceeded;
}

std::string text_of(const result& result) {
  std::ostringstream out;
  write_report(out, result, poolsim::detail::tasks);
  return out.str();
}

using numbers = std::vector<double>;

} // namespace

// -- deadlines ----------------------------------------------------------------

TEST_CASE("a waiting task is cancelled at its deadline, and never runs") {
  // The first one runs until 10; the second is to have ended by 6.
  auto all = simulated(R"("tasks": [{"service": "10ms"},
    {"at": "1ms", "service": "1ms", "deadline": "5ms"}])");
  CHECK(starts(all) == numbers{0, -1});
  CHECK(ends(all) == numbers{10, 6});
  CHECK(workers(all) == std::vector<int>{0, -1});
  CHECK(is_cancelled(all.tasks[1]));
  CHECK(all.books.cancelled == 1);
  CHECK(all.flows[0].cancelled == 1);
  CHECK(text_of(all).find("cancelled:deadline_exceeded") != std::string::npos);
}

TEST_CASE("a task that ends exactly at its deadline has completed") {
  auto all = simulated(R"("tasks": [{"service": "10ms",
                                     "deadline": "10ms"}])");
  CHECK(all.tasks[0].is == fate::completed);
}

TEST_CASE("a running task is cancelled at its deadline, and occupies its "
          "worker until its run ends") {
  // Cancelled at 4, it goes on until 10: only then the next one starts, though
  // it came at 1. The worker has been busy for 12 ms and completed one task.
  std::vector<task_run> runs;
  auto all = simulated(R"("tasks": [{"service": "10ms", "deadline": "4ms"},
    {"at": "1ms", "service": "2ms"}])",
                       [&](const task_run& each) { runs.push_back(each); });
  CHECK(starts(all) == numbers{0, 10});
  CHECK(ends(all) == numbers{4, 12});
  CHECK(workers(all) == std::vector<int>{0, 0});
  CHECK(is_cancelled(all.tasks[0]));
  CHECK(all.workers[0].busy.count() == 12'000'000);
  CHECK(all.workers[0].completed == 1);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].how == task_run::ending::overdue);
  CHECK(runs[0].ended.count() == 10'000'000);
}

TEST_CASE(
  "tasks that wait at a worker that overruns a deadline go to another worker") {
  // Bound eagerly: worker 0 gets tasks 0 and 2, worker 1 gets 1 and 3. At 4,
  // task 0 is late and task 2 goes to worker 1, which ends 1 at 6; 2 is older
  // than 3 but was bound later.
  auto all = poolsim::simulate(poolsim::read_scenario(
    R"({"placement": "round_robin", "window": 2, "workers": [{"count": 2}],
        "tasks": [{"service": "20ms", "deadline": "4ms"}, {"service": "6ms"},
                  {"service": "1ms", "count": 2}]})"));
  CHECK(workers(all) == std::vector<int>{0, 1, 1, 1});
  CHECK(starts(all) == numbers{0, 0, 7, 6});
}

TEST_CASE(
  "the clock runs until the deadline of a task that no worker can run") {
  auto all = simulated(R"("workers": [{"leave": "1ms"}],
    "tasks": [{"at": "2ms", "service": "1ms", "deadline": "7ms"}])");
  CHECK(is_cancelled(all.tasks[0]));
  CHECK(all.now.count() == 9'000'000);
  CHECK(all.makespan.count() == 9'000'000);
}

TEST_CASE("the deadline of a pool applies to tasks and calls without their own "
          "deadline") {
  auto all = simulated(R"("deadline": "3ms", "tasks": [{"service": "10ms"},
      {"service": "10ms", "deadline": "4ms"}],
    "clients": [{"service": "1ms", "flow": "c"}])");
  CHECK(ends(all) == numbers{3, 4, 3});
}

TEST_CASE("a simulated client submits its next call after its previous call "
          "was cancelled") {
  // Calls at 0, 5 + 1, 11 + 1; the worker is at the first one until 20.
  auto all = simulated(R"("clients": [{"calls": 3, "service": "20ms",
    "deadline": "5ms", "think": "1ms"}])");
  CHECK(times(all, &task_row::submitted) == numbers{0, 6, 12});
  CHECK(ends(all) == numbers{5, 11, 17});
}

TEST_CASE("a client whose call is cancelled early submits its next call "
          "immediately, before the planned time") {
  // The successor is to come 4 before the end: at 16, but the call is cancelled
  // at 5.
  auto all = simulated(R"("clients": [{"calls": 2, "service": "20ms",
    "deadline": "5ms", "think": "-4ms"}])");
  CHECK(times(all, &task_row::submitted) == numbers{0, 5});
}

TEST_CASE("a worker can still run a cancelled task when the clock stops") {
  auto all = simulated(R"("until": "5ms", "tasks": [
    {"service": "10ms", "deadline": "4ms"}])");
  CHECK(is_cancelled(all.tasks[0]));
  CHECK(all.workers[0].running == std::vector<std::size_t>{0});
  CHECK(all.books.running == 0);
  CHECK(all.workers[0].busy.count() == 5'000'000);
}

// -- crashes ------------------------------------------------------------------

TEST_CASE("when a worker crashes, its running task fails, and its waiting "
          "tasks go to other workers") {
  // Worker 0 has tasks 0 and 2 when it crashes at 3; worker 1 has 1 and 3, and
  // does 2 after them, since it was bound later.
  std::vector<task_run> runs;
  auto all = poolsim::simulate(
    poolsim::read_scenario(
      R"({"placement": "round_robin", "workers": [{"crash": "3ms"}, {}],
          "tasks": [{"service": "10ms", "count": 4}]})"),
    [&](const task_run& each) { runs.push_back(each); });
  CHECK(all.tasks[0].is == fate::failed);
  CHECK(all.tasks[0].why == errc::worker_crashed);
  CHECK(workers(all) == std::vector<int>{0, 1, 1, 1});
  CHECK(starts(all) == numbers{0, 0, 20, 10});
  CHECK(ends(all) == numbers{3, 10, 30, 20});
  CHECK(all.books.failed == 1);
  CHECK(all.flows[0].failed == 1);
  CHECK(all.workers[0].busy.count() == 3'000'000);
  CHECK(all.workers[0].completed == 0);
  CHECK(runs[0].how == task_run::ending::crashed);
  CHECK(text_of(all).find("failed:worker_crashed") != std::string::npos);
}

TEST_CASE("a task whose worker crashes runs again up to the maximum number of "
          "retries") {
  // The task runs on worker 0 until 3, on 1 until 8, on 2 from 8.
  const std::string rest = R"(, "workers": [{"crash": "3ms"},
      {"crash": "8ms"}, {"join": "8ms"}], "tasks": [{"service": "10ms"}])";
  auto all = simulated(R"("on_crash": {"name": "retry", "times": 2})" + rest);
  CHECK(workers(all) == std::vector<int>{2});
  CHECK(starts(all) == numbers{8});
  CHECK(ends(all) == numbers{18});
  auto once = simulated(R"("on_crash": "retry")" + rest);
  CHECK(once.tasks[0].is == fate::failed);
  CHECK(once.tasks[0].why == errc::retries_exhausted);
  CHECK(workers(once) == std::vector<int>{1});
  CHECK(starts(once) == numbers{3});
  CHECK(ends(once) == numbers{8});
  CHECK(text_of(once).find("failed:retries_exhausted") != std::string::npos);
  auto poisoned = simulated(
    R"("on_crash": {"name": "retry", "times": 9}, "poison_after": 2)" + rest);
  CHECK(poisoned.tasks[0].why == errc::poisoned);
  CHECK(ends(poisoned) == numbers{8});
  CHECK(text_of(poisoned).find("failed:poisoned") != std::string::npos);
}

TEST_CASE(
  "a task whose worker leaves runs again, and this does not count as a crash") {
  auto all = simulated(R"("poison_after": 1,
    "workers": [{"leave": "3ms"}, {"join": "3ms"}],
    "tasks": [{"service": "10ms"}])");
  CHECK(ends(all) == numbers{13});
}

TEST_CASE("all running tasks of a worker fail when the worker crashes") {
  // The third is in its mailbox when it crashes.
  auto all = poolsim::simulate(poolsim::read_scenario(
    R"({"window": 3, "workers": [{"seats": 2, "crash": "3ms"}],
        "tasks": [{"service": "10ms", "count": 4}]})"));
  CHECK(all.books.failed == 2);
  CHECK(all.books.waiting == 2);
  CHECK(workers(all) == std::vector<int>{0, 0, -1, -1});
}

TEST_CASE("each worker of a group can have its own crash time") {
  auto all = simulated(R"("workers": [{"count": 2, "crash": ["3ms", "5ms"]}],
    "tasks": [{"service": "10ms", "count": 2}])");
  CHECK(ends(all) == numbers{3, 5});
}

TEST_CASE("a task that ends when its worker crashes has completed") {
  auto all = simulated(R"("workers": [{"crash": "10ms"}],
    "tasks": [{"service": "10ms"}])");
  CHECK(all.tasks[0].is == fate::completed);
}

TEST_CASE("a simulated client submits its next call after its previous call "
          "has failed") {
  auto all = simulated(R"("workers": [{"crash": "3ms"}, {"join": "4ms"}],
    "clients": [{"calls": 2, "service": "10ms", "think": "1ms"}])");
  CHECK(times(all, &task_row::submitted) == numbers{0, 4});
  CHECK(ends(all) == numbers{3, 14});
}

TEST_CASE("a task past its deadline stays cancelled when its worker crashes") {
  auto all = simulated(R"("workers": [{"crash": "6ms"}], "on_crash": "retry",
    "tasks": [{"service": "10ms", "deadline": "4ms"}])");
  CHECK(is_cancelled(all.tasks[0]));
  CHECK(ends(all) == numbers{4});
  CHECK(all.books.failed == 0);
  CHECK(all.workers[0].busy.count() == 6'000'000);
}

TEST_CASE("the statistics of response times do not include failed and "
          "cancelled tasks") {
  auto all = simulated(R"("workers": [{"crash": "3ms"}, {}],
    "tasks": [{"service": "10ms"}, {"service": "7ms"},
              {"service": "1ms", "deadline": "2ms"}])");
  CHECK(all.latency.response.mean.count() == 7'000'000);
  CHECK(all.latency.response.p99.count() == 7'000'000);
}

// -- pictures -----------------------------------------------------------------

TEST_CASE("a picture shows which runs crashed, and which runs ended after the "
          "deadline of their task") {
  auto scenario = poolsim::read_scenario(
    R"({"placement": "least_used", "assignment": "lazy", "window": 1,
        "workers": [{"crash": 5}, {}], "tasks": [{"service": 10},
          {"service": 10, "deadline": 8}, {"service": 10, "deadline": 4}]})");
  poolsim::chart drawn{scenario};
  auto all = poolsim::simulate(scenario,
                               [&](const task_run& each) { drawn.add(each); });
  drawn.finish(all);
  std::vector<std::string> outcomes;
  for (const auto& each : drawn.all().records())
    outcomes.push_back(drawn.all().outcomes()[each.outcome]);
  CHECK(outcomes
        == std::vector<std::string>{"crashed", "overdue", "cancelled"});
}

} // namespace poolsim_failures_tests
