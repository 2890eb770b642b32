/// Small cases whose numbers are derived by hand. Times are in ms.

#include "poolsim/simulation.hpp"

#include "poolsim/reading.hpp"
#include "poolsim/report.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace {

using poolsim::fate;
using poolsim::result;
using poolsim::task_row;
using poolsim::task_run;

constexpr std::int64_t ms = 1'000'000;

/// A scenario with least_used, lazy unless it says otherwise.
result simulated(const std::string& rest,
                 const poolsim::run_listener& listener = {}) {
  const auto assignment =
    rest.find("assignment") == std::string::npos
      ? std::string{R"("assignment": "lazy", "window": 9, )"}
      : std::string{};
  return poolsim::simulate(
    poolsim::read_scenario(R"({"placement": "least_used", )" + assignment + rest
                           + "}"),
    listener);
}

/// Numbers of milliseconds; -1: not yet.
std::vector<double> times(const result& result,
                          poolsim::duration task_row::*member) {
  std::vector<double> all;
  for (const auto& each : result.tasks) {
    auto time = each.*member;
    all.push_back(
      time == poolsim::not_yet ? -1 : static_cast<double>(time.count()) / ms);
  }
  return all;
}

std::vector<double> starts(const result& result) {
  return times(result, &task_row::started);
}

std::vector<double> ends(const result& result) {
  return times(result, &task_row::finished);
}

std::vector<double> submissions(const result& result) {
  return times(result, &task_row::submitted);
}

/// The worker of each task; -1: none.
std::vector<int> workers(const result& result) {
  std::vector<int> all;
  for (const auto& each : result.tasks)
    all.push_back(
      each.worker == poolsim::nobody ? -1 : static_cast<int>(each.worker));
  return all;
}

std::string flows(const result& result) {
  std::string all;
  for (const auto& each : result.tasks)
    all += result.flows[each.flow].name;
  return all;
}

using numbers = std::vector<double>;
using ids = std::vector<std::size_t>;

} // namespace

TEST_CASE(
  "a worker runs as many tasks at the same time as fit into its seats") {
  // 3 seats: widths 2 and 1 fit together; the next 2 waits for the first 2.
  auto all = simulated(R"("workers": [{"seats": 3}], "tasks": [
    {"service": "10ms", "width": 2}, {"service": "4ms", "width": 1},
    {"service": "5ms", "width": 2}])");
  CHECK(starts(all) == numbers{0, 0, 10});
  CHECK(ends(all) == numbers{10, 4, 15});
  // 2 seats for 10 ms, 1 for 4 ms and 2 for 5 ms, out of 15 ms.
  CHECK(all.flows[0].mean_seats[0] == doctest::Approx(34.0 / 15));
  CHECK(all.workers[0].busy.count() == 19 * ms);
}

TEST_CASE("a task that waits for seats is not overtaken by later tasks") {
  auto all = simulated(R"("workers": [{"seats": 2}], "tasks": [
    {"service": "10ms"}, {"service": "1ms", "width": 2}, {"service": "1ms"}])");
  CHECK(starts(all) == numbers{0, 10, 11});
}

TEST_CASE(
  "a task that is wider than its worker takes all seats of the worker") {
  auto all = simulated(R"("workers": [{"seats": 2}], "tasks": [
    {"service": "10ms", "width": 5}, {"service": "1ms"}])");
  CHECK(starts(all) == numbers{0, 10});
  CHECK(all.flows[0].mean_seats[0] == doctest::Approx(21.0 / 11));
}

TEST_CASE("with fair queuing, a task that needs several seats can take seats "
          "of several workers") {
  // Two workers with a seat each: the wide one waits for both, and no task
  // overtakes it. Flow w has 2 seats for 3 ms of 8.
  auto all = simulated(R"("workers": [{"count": 2}],
    "order": {"name": "fair_queuing", "guess": "1ms"}, "tasks": [
    {"flow": "n", "service": "4ms"}, {"flow": "w", "service": "3ms", "width": 2},
    {"flow": "n", "service": "1ms", "count": 2}])");
  CHECK(starts(all) == numbers{0, 4, 7, 7});
  CHECK(all.flows[1].mean_seats[0] == doctest::Approx(6.0 / 8));
}

TEST_CASE("flows get service in proportion to their shares") {
  // 40 ms of backlog on both sides; 3 to 1 in the first 20 ms, to within a
  // task.
  auto all = simulated(R"("order": "fair_queuing", "shares": {"a": 3},
    "tasks": [{"flow": "a", "service": "1ms", "count": 40},
              {"flow": "b", "service": "1ms", "count": 40}],
    "measure": [[0, "20ms"]])");
  CHECK(all.flows[0].mean_seats[0] == doctest::Approx(0.75).epsilon(0.07));
}

TEST_CASE("a task is refused as flow_full if its flow has the maximum number "
          "of waiting tasks") {
  auto all = simulated(R"("order": {"name": "fair_queuing", "queue_limit": 1},
    "tasks": [{"flow": "a", "service": "1ms", "count": 3}])");
  CHECK(all.tasks[2].is == poolsim::fate::refused);
  CHECK(all.tasks[2].why == libpool::errc::flow_full);
  std::ostringstream text;
  write_report(text, all, poolsim::detail::tasks);
  CHECK(text.str().find("refused:flow_full") != std::string::npos);
}

TEST_CASE(
  "a negative pause starts the next call before the end of the previous call") {
  // 10 ms a call, the next 4 ms before its end: at 6, which starts at 10; its
  // successor at 16, which starts at 20.
  auto all = simulated(R"("clients": [
    {"flow": "c", "calls": 3, "service": "10ms", "think": "-4ms"}])");
  CHECK(submissions(all) == numbers{0, 6, 16});
  CHECK(starts(all) == numbers{0, 10, 20});
}

TEST_CASE(
  "a negative pause longer than a call starts the next call with the call") {
  auto all = simulated(R"("workers": [{"seats": 2}], "clients": [
    {"flow": "c", "calls": 3, "service": "10ms", "think": "-1s"}])");
  // The first and the second start at once, the third when a seat is free.
  CHECK(submissions(all) == numbers{0, 0, 0});
  CHECK(starts(all) == numbers{0, 0, 10});
}

TEST_CASE("if a call is interrupted before the time of the next call, the next "
          "call is scheduled again") {
  // Would submit the next one at 9; interrupted at 5, it runs from 5 to 15
  // elsewhere, so the next one comes at 14. Both end on worker 1.
  auto all = simulated(R"("workers": [{"leave": "5ms"}, {"join": "1ms"}],
    "clients": [{"calls": 2, "service": "10ms", "think": "-1ms"}])");
  CHECK(submissions(all) == numbers{0, 14});
  CHECK(starts(all) == numbers{5, 15});
  CHECK(workers(all) == std::vector<int>{1, 1});
}

TEST_CASE("if a call is interrupted after the next call was submitted, the "
          "next call is not submitted again") {
  // The next one is submitted at 6, on worker 1. Worker 0 leaves at 8.
  auto all = simulated(R"("workers": [{"leave": "8ms"}, {}],
    "clients": [{"calls": 2, "service": "10ms", "think": "-4ms"}])");
  CHECK(submissions(all) == numbers{0, 6});
  CHECK(starts(all) == numbers{16, 6});
}

TEST_CASE("tasks are submitted before calls of clients, each in the order of "
          "the file") {
  auto all = simulated(R"("tasks": [
      {"at": "1ms", "service": 1, "flow": "a", "count": 2, "every": "1ms"},
      {"at": "2ms", "service": 1, "flow": "b"},
      {"at": "1ms", "service": 1, "flow": "c"}],
    "clients": [
      {"start": "2ms", "service": 1, "flow": "x", "threads": 2},
      {"start": "2ms", "service": 1, "flow": "y"}])");
  CHECK(flows(all) == "acabxxy");
}

TEST_CASE("the member 'stagger' is the time between the starts of two threads "
          "of a simulated client") {
  auto all = simulated(R"("clients": [
    {"start": "1ms", "stagger": "2ms", "threads": 3, "service": 1}])");
  CHECK(submissions(all) == numbers{1, 3, 5});
}

TEST_CASE(
  "runs end before new tasks are submitted, in the order of their starts") {
  // Both end at 10: the one on worker 0 started first, so at 10 it is the one
  // that was ended longest ago that gets the first task: both have nothing in
  // flight, and worker 0 was chosen least recently.
  auto all = simulated(R"("workers": [{"count": 2}], "tasks": [
    {"service": "10ms", "count": 2},
    {"at": "10ms", "service": "10ms", "count": 2}])");
  CHECK(starts(all) == numbers{0, 0, 10, 10});
  CHECK(workers(all) == std::vector<int>{0, 1, 0, 1});
}

TEST_CASE(
  "a worker that joins gets a task that is submitted at the same time") {
  auto all = simulated(R"("workers": [{}, {"join": "5ms"}], "tasks": [
    {"service": "10ms"}, {"at": "5ms", "service": "10ms"}])");
  CHECK(workers(all) == std::vector<int>{0, 1});
  CHECK(starts(all) == numbers{0, 5});
}

TEST_CASE("a task that ends when its worker leaves has completed") {
  auto all = simulated(R"("workers": [{"leave": "10ms"}, {"join": "10ms"}],
    "tasks": [{"service": "10ms"}, {"at": "10ms", "service": "1ms"}])");
  CHECK(workers(all) == std::vector<int>{0, 1});
  CHECK(ends(all) == numbers{10, 11});
}

TEST_CASE("a task that takes no time ends at the time of its start") {
  auto all = simulated(R"("clients": [{"calls": 4, "service": 0}],
    "tasks": [{"service": 0, "count": 2}])");
  CHECK(ends(all) == numbers{0, 0, 0, 0, 0, 0});
  CHECK(all.now.count() == 0);
  CHECK(all.flows[0].mean_seats[0] == 0);
}

TEST_CASE("a simulated worker that is lost gives back its running and its "
          "waiting tasks") {
  // Worker 0 gets tasks 0 and 2, worker 1 gets 1 and 3. At 4, worker 0 leaves:
  // 0 and 2 are older than 4, which was submitted at 3 and went to worker 0.
  std::vector<task_run> interrupted;
  auto all = simulated(R"("assignment": "eager", "window": 2,
    "workers": [{"leave": "4ms"}, {}],
    "tasks": [{"service": "10ms", "count": 4},
              {"at": "3ms", "service": "10ms"}])",
                       [&](const task_run& each) {
                         if (each.how == task_run::ending::interrupted)
                           interrupted.push_back(each);
                       });
  CHECK(workers(all) == std::vector<int>{1, 1, 1, 1, 1});
  // The tasks that worker 1 has already go first, then the returned ones, by
  // age.
  CHECK(starts(all) == numbers{20, 0, 30, 10, 40});
  CHECK(all.workers[0].busy.count() == 4 * ms);
  CHECK(all.workers[0].completed == 0);
  REQUIRE(interrupted.size() == 1);
  CHECK(interrupted[0].task == 0);
  CHECK(interrupted[0].ended.count() == 4 * ms);
  CHECK(all.flows[0].mean_seats[0] == doctest::Approx(54.0 / 50));
}

TEST_CASE(
  "a task away from its home takes longer by its move if moves are paid") {
  const std::string rest = R"("assignment": "eager", "window": 1,
    "workers": [{"count": 2, "speed": 2}, {"join": "1ms"}], "tasks": [
      {"service": "10ms", "home": 0, "move": "3ms"},
      {"service": "10ms", "home": 1, "only": [0], "move": "3ms"},
      {"service": "10ms", "only": [1], "move": "3ms"},
      {"service": "10ms", "home": 0, "only": [1], "move": ["1ms", "2ms", 0]}])";
  // At home: 5. Away: 5 + 3. Without a home: 5. A list: 5 + 2.
  auto paid = simulated(rest + R"(, "pay_moves": true)");
  CHECK(starts(paid) == numbers{0, 5, 0, 5});
  CHECK(ends(paid) == numbers{5, 13, 5, 12});
  auto free = simulated(rest);
  CHECK(ends(free) == numbers{5, 10, 5, 10});
}

TEST_CASE(
  "a full pool sends waiting tasks to workers before it refuses a task") {
  // Room for one. The second finds the first waiting: it is sent, and the
  // second takes its place. The third finds the second, which has no worker.
  auto all = simulated(R"("assignment": "lazy", "window": 1, "capacity": 1,
    "tasks": [{"service": "10ms", "count": 3}])");
  CHECK(starts(all) == numbers{0, 10, -1});
  CHECK(all.tasks[2].is == fate::refused);
  CHECK(all.books.refused == 1);
}

TEST_CASE(
  "a pool with capacity 0 accepts the tasks that it can send immediately") {
  auto all = simulated(R"("assignment": "lazy", "window": 1, "capacity": 0,
    "workers": [{"count": 2}], "tasks": [{"service": "10ms", "count": 3}])");
  CHECK(starts(all) == numbers{0, 0, -1});
  CHECK(all.tasks[2].is == fate::refused);
}

TEST_CASE(
  "events at the time at which the simulated clock stops still happen") {
  auto all = simulated(R"("assignment": "lazy", "window": 2, "until": "10ms",
    "tasks": [{"service": "10ms", "count": 3, "flow": "a"},
              {"at": "10ms", "service": "1ms", "flow": "b"},
              {"at": "11ms", "service": "1ms", "flow": "c"}])");
  CHECK(all.now.count() == 10 * ms);
  CHECK(all.makespan.count() == 10 * ms);
  REQUIRE(all.tasks.size() == 4);
  CHECK(all.tasks[0].is == fate::completed);
  CHECK(all.tasks[1].is == fate::running);
  CHECK(all.tasks[2].is == fate::assigned);
  CHECK(all.tasks[3].is == fate::waiting);
  CHECK(all.workers[0].running == ids{1});
  CHECK(all.workers[0].queued == ids{2});
  CHECK(all.books.running == 1);
  REQUIRE(all.flows.size() == 3);
  CHECK(all.flows[2].name == "c");
  CHECK(all.flows[2].submitted == 0);
}

TEST_CASE("the simulated clock runs to the time in the member 'until', even if "
          "all tasks have ended before") {
  auto all = simulated(R"("until": "40ms", "tasks": [{"service": "10ms"}])");
  CHECK(all.now.count() == 40 * ms);
  CHECK(all.makespan.count() == 10 * ms);
  CHECK(all.flows[0].mean_seats[0] == doctest::Approx(0.25));
}

TEST_CASE("a running task counts as busy time of its worker until the "
          "simulated clock stops") {
  std::vector<task_run> runs;
  auto all = simulated(R"("until": "5ms", "tasks": [{"service": "10ms"}],
                          "measure": [["4ms", "8ms"], [0, "5ms"]])",
                       [&](const task_run& each) { runs.push_back(each); });
  CHECK(all.workers[0].busy.count() == 5 * ms);
  CHECK(all.flows[0].mean_seats == numbers{0.25, 1});
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].how == task_run::ending::still_running);
  CHECK(runs[0].ended.count() == 5 * ms);
}

TEST_CASE("a task waits if all workers have left") {
  auto all = simulated(R"("workers": [{"leave": "1ms"}],
    "tasks": [{"at": "2ms", "service": "1ms"}])");
  CHECK(all.tasks[0].is == fate::waiting);
  CHECK(all.now.count() == 2 * ms);
}

TEST_CASE("a report has null for times and workers that do not exist") {
  std::ostringstream out;
  poolsim::write_report(out, simulated(R"("assignment": "lazy", "window": 1,
                                     "capacity": 0,
                                     "tasks": [{"service": 5, "count": 2}],
                                     "until": 3)"),
                        poolsim::detail::tasks);
  CHECK(out.str() == R"({"now":3,
 "makespan":0,
 "steals":0,
 "tasks":[
  {"id":0,"flow":"","worker":0,"submitted":0,"started":0,"finished":null,"outcome":"running","moves":0},
  {"id":1,"flow":"","worker":null,"submitted":0,"started":null,"finished":null,"outcome":"refused:queue_full","moves":0}],
 "workers":[
  {"id":0,"completed":0,"busy":3,"running":[0],"queued":[]}],
 "flows":[
  {"flow":"","submitted":2,"completed":0,"failed":0,"cancelled":0,"refused":1,"waiting":0,"mean_seats":[1.0],"latency":{"wait":{"mean":0,"p50":0,"p95":0,"p99":0},"response":{"mean":null,"p50":null,"p95":null,"p99":null}}}],
 "ledger":{"accepted":1,"completed":0,"failed":0,"cancelled":0,"refused":1,"waiting":0,"assigned":0,"running":1},
 "latency":{"wait":{"mean":0,"p50":0,"p95":0,"p99":0},"response":{"mean":null,"p50":null,"p95":null,"p99":null}}}
)");
}
