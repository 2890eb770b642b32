/// Small cases whose numbers are derived by hand. Times are in ms.

#include "poolsim/chart.hpp"
#include "poolsim/invariants.hpp"
#include "poolsim/runs.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace poolsim_simulation_tests {

namespace {

using poolsim::fate;
using poolsim::task_run;

/// The members of a scenario with least_used.
std::string eager(const std::string& rest) {
  return R"("placement": "least_used", )" + rest;
}

std::string lazy(const std::string& rest) {
  return R"("placement": "least_used", "assignment": "lazy", )" + rest;
}

/// The same with long windows.
std::string wide(const std::string& rest) {
  return R"("window": 9, )" + lazy(rest);
}

struct simulation {
  std::string fact;
  std::string members;
  std::string story;
};

void check(const std::vector<simulation>& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.fact);
    auto all = test::simulated(row.members);
    CHECK(test::story_of(all) == row.story);
    test::check_invariants({"{" + row.members + "}", test::report_of(all)});
  }
}

} // namespace

TEST_CASE("tasks occupy the seats of workers") {
  check(
    {// 3 seats: widths 2 and 1 fit together; the next 2 waits for the first 2.
     {"a worker runs as many tasks at the same time as fit into its seats",
      wide(R"("workers": [{"seats": 3}], "tasks": [
       {"service": "10ms", "width": 2}, {"service": "4ms", "width": 1},
       {"service": "5ms", "width": 2}])"),
      "0: 0-10 on 0; 0: 0-4 on 0; 0: 10-15 on 0"},
     {"a task that waits for seats is not overtaken by later tasks",
      wide(R"("workers": [{"seats": 2}], "tasks": [
       {"service": "10ms"}, {"service": "1ms", "width": 2},
       {"service": "1ms"}])"),
      "0: 0-10 on 0; 0: 10-11 on 0; 0: 11-12 on 0"},
     {"a task that is wider than its worker takes all seats of the worker",
      wide(R"("workers": [{"seats": 2}], "tasks": [
       {"service": "10ms", "width": 5}, {"service": "1ms"}])"),
      "0: 0-10 on 0; 0: 10-11 on 0"}});
}

TEST_CASE("with fair queuing, a task that needs several seats can take seats "
          "of several workers") {
  // The wide one waits for both workers, and no task overtakes it. Flow w has 2
  // seats for 3 ms of 8.
  auto all = test::simulated(wide(R"("workers": [{"count": 2}],
    "order": {"name": "fair_queuing", "guess": "1ms"}, "tasks": [
    {"flow": "n", "service": "4ms"}, {"flow": "w", "service": "3ms", "width": 2},
    {"flow": "n", "service": "1ms", "count": 2}])"));
  CHECK(test::story_of(all)
        == "0: 0-4 on 0; 0: 4-7 on 1; 0: 7-8 on 0; 0: 7-8 on 1");
  CHECK(all.flows[1].mean_seats[0] == doctest::Approx(6.0 / 8));
}

TEST_CASE("clients submit their next call after their previous call, by their "
          "pause") {
  check(
    {// 10 ms a call, the next 4 ms before its end: at 6, which starts at 10;
     // its
     // successor at 16, which starts at 20.
     {"a negative pause starts the next call before the end of the previous",
      wide(R"("clients": [{"calls": 3, "service": "10ms", "think": "-4ms"}])"),
      "0: 0-10 on 0; 6: 10-20 on 0; 16: 20-30 on 0"},
     // The first and the second start at once, the third when a seat is free.
     {"a negative pause longer than a call starts the next call with the call",
      wide(R"("workers": [{"seats": 2}],
       "clients": [{"calls": 3, "service": "10ms", "think": "-1s"}])"),
      "0: 0-10 on 0; 0: 0-10 on 0; 0: 10-20 on 0"},
     // Would submit the next one at 9; interrupted at 5, it runs from 5 to 15
     // elsewhere, so the next one comes at 14.
     {"after an interruption, the next call is scheduled again",
      wide(R"("workers": [{"leave": "5ms"}, {"join": "1ms"}],
       "clients": [{"calls": 2, "service": "10ms", "think": "-1ms"}])"),
      "0: 5-15 on 1; 14: 15-25 on 1"},
     // The next one is submitted at 6, on worker 1. Worker 0 leaves at 8.
     {"after an interruption, a call that came already does not come again",
      wide(R"("workers": [{"leave": "8ms"}, {}],
       "clients": [{"calls": 2, "service": "10ms", "think": "-4ms"}])"),
      "0: 16-26 on 1; 6: 6-16 on 1"},
     {"'stagger' is the time between the starts of two threads",
      wide(R"("clients": [{"start": "1ms", "stagger": "2ms", "threads": 3,
                          "service": 1}])"),
      "1: 1-1 on 0; 3: 3-3 on 0; 5: 5-5 on 0"},
     // Calls at 0, 5 + 1, 11 + 1; the worker is at the first one until 20.
     {"a cancelled call is followed by the next call",
      lazy(R"("window": 1, "clients": [{"calls": 3, "service": "20ms",
       "deadline": "5ms", "think": "1ms"}])"),
      "0: 0-5 on 0 cancelled:deadline_exceeded; 6: -11 "
      "cancelled:deadline_exceeded; 12: -17 cancelled:deadline_exceeded"},
     // The successor is to come 4 before the end: at 16.
     {"a call that is cancelled early is followed at once by the next call",
      lazy(R"("window": 1, "clients": [{"calls": 2, "service": "20ms",
       "deadline": "5ms", "think": "-4ms"}])"),
      "0: 0-5 on 0 cancelled:deadline_exceeded; 5: -10 "
      "cancelled:deadline_exceeded"},
     {"a call that has failed is followed by the next call",
      lazy(R"("window": 1, "workers": [{"crash": "3ms"}, {"join": "4ms"}],
       "clients": [{"calls": 2, "service": "10ms", "think": "1ms"}])"),
      "0: 0-3 on 0 failed:worker_crashed; 4: 4-14 on 1"}});
}

TEST_CASE("at one time, runs end before workers join and leave, and before "
          "tasks are submitted") {
  check(
    {// Both workers have nothing in flight at 10, and worker 0 was chosen least
     // recently.
     {"runs end before new tasks are submitted, in the order of their starts",
      wide(R"("workers": [{"count": 2}], "tasks": [
       {"service": "10ms", "count": 2},
       {"at": "10ms", "service": "10ms", "count": 2}])"),
      "0: 0-10 on 0; 0: 0-10 on 1; 10: 10-20 on 0; 10: 10-20 on 1"},
     {"a worker that joins gets a task that is submitted at the same time",
      wide(R"("workers": [{}, {"join": "5ms"}], "tasks": [
       {"service": "10ms"}, {"at": "5ms", "service": "10ms"}])"),
      "0: 0-10 on 0; 5: 5-15 on 1"},
     {"a task that ends when its worker leaves has completed",
      wide(R"("workers": [{"leave": "10ms"}, {"join": "10ms"}],
       "tasks": [{"service": "10ms"}, {"at": "10ms", "service": "1ms"}])"),
      "0: 0-10 on 0; 10: 10-11 on 1"},
     {"a task that ends when its worker crashes has completed",
      lazy(R"("workers": [{"crash": "10ms"}],
             "tasks": [{"service": "10ms"}])"),
      "0: 0-10 on 0"},
     {"a task that ends exactly at its deadline has completed",
      lazy(R"("tasks": [{"service": "10ms", "deadline": "10ms"}])"),
      "0: 0-10 on 0"},
     {"a task that takes no time ends at the time of its start",
      wide(R"("clients": [{"calls": 4, "service": 0}],
             "tasks": [{"service": 0, "count": 2}])"),
      "0: 0-0 on 0; 0: 0-0 on 0; 0: 0-0 on 0; 0: 0-0 on 0; 0: 0-0 on 0; 0: 0-0 "
      "on 0"}});
}

TEST_CASE("tasks of workers that are lost, and tasks past their deadline, have "
          "the outcome that a pool gives them") {
  check(
    {// Worker 0 gets tasks 0, 2 and 4, worker 1 gets 1 and 3. At 4, worker 0
     // leaves: the tasks that worker 1 has already go first, then the returned
     // ones, by age.
     {"a worker that leaves gives back its running and its waiting tasks",
      eager(R"("assignment": "eager", "window": 2,
       "workers": [{"leave": "4ms"}, {}],
       "tasks": [{"service": "10ms", "count": 4},
                 {"at": "3ms", "service": "10ms"}])"),
      "0: 20-30 on 1; 0: 0-10 on 1; 0: 30-40 on 1; 0: 10-20 on 1; 3: 40-50 on "
      "1"},
     {"a worker that leaves in the middle of a task does not count as a crash",
      lazy(R"("poison_after": 1, "workers": [{"leave": "3ms"}, {"join": "3ms"}],
             "tasks": [{"service": "10ms"}])"),
      "0: 3-13 on 1"},
     {"a task waits if all workers have left",
      wide(R"("workers": [{"leave": "1ms"}],
             "tasks": [{"at": "2ms", "service": "1ms"}])"),
      "2: waiting"},
     {"the clock runs until the deadline of a task that no worker can run",
      lazy(R"("workers": [{"leave": "1ms"}],
       "tasks": [{"at": "2ms", "service": "1ms", "deadline": "7ms"}])"),
      "2: -9 cancelled:deadline_exceeded"},
     {"the deadline of a pool is that of tasks and calls without their own",
      lazy(R"("window": 1, "deadline": "3ms", "tasks": [{"service": "10ms"},
         {"service": "10ms", "deadline": "4ms"}],
       "clients": [{"service": "1ms", "flow": "c"}])"),
      "0: 0-3 on 0 cancelled:deadline_exceeded; 0: -4 "
      "cancelled:deadline_exceeded; 0: -3 cancelled:deadline_exceeded"},
     {"a task past its deadline stays cancelled when its worker crashes",
      lazy(R"("workers": [{"crash": "6ms"}], "on_crash": "retry",
             "tasks": [{"service": "10ms", "deadline": "4ms"}])"),
      "0: 0-4 on 0 cancelled:deadline_exceeded"},
     // The third is in its mailbox when it crashes.
     {"all running tasks of a worker fail when the worker crashes",
      R"("window": 3, "workers": [{"seats": 2, "crash": "3ms"}],
        "tasks": [{"service": "10ms", "count": 4}])",
      "0: 0-3 on 0 failed:worker_crashed; 0: 0-3 on 0 failed:worker_crashed; "
      "0: waiting; 0: waiting"}});
}

TEST_CASE("the capacity of a pool limits the tasks that wait in the pool") {
  check(
    {// The second finds the first waiting: it is sent, and the second takes its
     // place. The third finds the second, which has no worker.
     {"a full pool sends waiting tasks to workers before it refuses a task",
      lazy(R"("window": 1, "capacity": 1,
             "tasks": [{"service": "10ms", "count": 3}])"),
      "0: 0-10 on 0; 0: 10-20 on 0; 0: refused:queue_full"},
     {"a pool with capacity 0 accepts the tasks that it can send immediately",
      lazy(R"("window": 1, "capacity": 0, "workers": [{"count": 2}],
             "tasks": [{"service": "10ms", "count": 3}])"),
      "0: 0-10 on 0; 0: 0-10 on 1; 0: refused:queue_full"},
     {"a task is refused as flow_full if its flow has its maximum",
      lazy(R"("order": {"name": "fair_queuing", "queue_limit": 1},
             "tasks": [{"flow": "a", "service": "1ms", "count": 3}])"),
      "0: 0-1 on 0; 0: 1-2 on 0; 0: refused:flow_full"}});
}

TEST_CASE("workers have numbers, by which tasks name them") {
  // At home: 5. Away: 5 + 3. Without a home: 5. A list: 5 + 2.
  const std::string moves = eager(R"("assignment": "eager", "window": 1,
    "workers": [{"count": 2, "speed": 2}, {"join": "1ms"}], "tasks": [
      {"service": "10ms", "home": 0, "move": "3ms"},
      {"service": "10ms", "home": 1, "only": [0], "move": "3ms"},
      {"service": "10ms", "only": [1], "move": "3ms"},
      {"service": "10ms", "home": 0, "only": [1], "move": ["1ms", "2ms", 0]}])");
  check(
    {// The second and the third group join at 0 and are 0 and 1, the first one
     // joins at 5 and is 2. A task of 1 ms takes 1, 2 and 1/2 ms on them.
     {"workers are numbered by the time of joining, and then in file order",
      eager(R"("window": 1,
       "workers": [{"join": "5ms", "speed": 2}, {}, {"speed": 0.5}],
       "tasks": [{"service": "1ms", "count": 2},
                 {"service": ["8ms", "8ms", "2ms"], "only": [2]},
                 {"at": "6ms", "service": "1ms", "home": 2}])"),
      "0: 0-1 on 0; 0: 0-2 on 1; 0: 5-6 on 2; 6: 6-6.5 on 2"},
     {"a task away from its home takes longer by its move if moves are paid",
      moves + R"(, "pay_moves": true)",
      "0: 0-5 on 0; 0: 5-13 on 0; 0: 0-5 on 1; 0: 5-12 on 1"},
     {"moves cost nothing if they are not paid", moves,
      "0: 0-5 on 0; 0: 5-10 on 0; 0: 0-5 on 1; 0: 5-10 on 1"},
     // Away from its home, worker 0, the task is on worker 1, which joins at 5.
     {"entries of a list of moves are in the order of the worker numbers",
      eager(R"("window": 1, "pay_moves": true, "workers": [{"join": "5ms"}, {}],
       "tasks": [{"service": "1ms", "home": 0, "only": [1],
                  "move": ["100ms", "3ms"]}])"),
      "0: 5-9 on 1"}});
}

TEST_CASE("flows get service in proportion to their shares") {
  // 40 ms of backlog on both sides; 3 to 1 in the first 20 ms, to within a
  // task.
  auto all = test::simulated(wide(R"("order": "fair_queuing",
    "shares": {"a": 3}, "measure": [[0, "20ms"]],
    "tasks": [{"flow": "a", "service": "1ms", "count": 40},
              {"flow": "b", "service": "1ms", "count": 40}])"));
  CHECK(all.flows[0].mean_seats[0] == doctest::Approx(0.75).epsilon(0.07));
}

TEST_CASE("tasks are submitted before calls of clients, each in the order of "
          "the file") {
  auto all = test::simulated(wide(R"("tasks": [
      {"at": "1ms", "service": 1, "flow": "a", "count": 2, "every": "1ms"},
      {"at": "2ms", "service": 1, "flow": "b"},
      {"at": "1ms", "service": 1, "flow": "c"}],
    "clients": [
      {"start": "2ms", "service": 1, "flow": "x", "threads": 2},
      {"start": "2ms", "service": 1, "flow": "y"}])"));
  std::string flows;
  for (const auto& each : all.tasks)
    flows += all.flows[each.flow].name;
  CHECK(flows == "acabxxy");
}

TEST_CASE("a worker can still run a cancelled task when the clock stops") {
  auto all = test::simulated(lazy(R"("until": "5ms",
    "tasks": [{"service": "10ms", "deadline": "4ms"}])"));
  CHECK(all.tasks[0].is == fate::cancelled);
  CHECK(all.workers[0].running == std::vector<std::size_t>{0});
  CHECK(all.books.running == 0);
  CHECK(test::ms(all.workers[0].busy) == 5);
}

TEST_CASE("the runs of a task that is interrupted, and that runs when the "
          "clock stops, are told with their ends") {
  std::vector<task_run> runs;
  test::simulated(lazy(R"("workers": [{"leave": "4ms"}, {"join": "4ms"}],
                          "tasks": [{"service": "10ms"}], "until": "9ms")"),
                  [&](const task_run& each) { runs.push_back(each); });
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].how == task_run::ending::interrupted);
  CHECK(test::ms(runs[0].ended) == 4);
  CHECK(runs[1].how == task_run::ending::still_running);
  CHECK(test::ms(runs[1].ended) == 9);
}

TEST_CASE("a picture shows which runs crashed, and which runs ended after the "
          "deadline of their task") {
  auto scenario = poolsim::read_scenario(
    "{" + lazy(R"("workers": [{"crash": 5}, {}], "tasks": [{"service": 10},
          {"service": 10, "deadline": 8}, {"service": 10, "deadline": 4}]})"));
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

TEST_CASE("a report has its keys in the order of the format, and null for "
          "times and workers that do not exist") {
  auto all = test::simulated(lazy(R"("window": 1, "capacity": 0, "until": 3,
    "tasks": [{"service": 5, "count": 2, "flow": "a\"b\n"}])"));
  CHECK(test::report_of(all) == R"({"now":3,
 "makespan":0,
 "steals":0,
 "tasks":[
  {"id":0,"flow":"a\"b\n","worker":0,"submitted":0,"started":0,"finished":null,"outcome":"running","moves":0},
  {"id":1,"flow":"a\"b\n","worker":null,"submitted":0,"started":null,"finished":null,"outcome":"refused:queue_full","moves":0}],
 "workers":[
  {"id":0,"completed":0,"busy":3,"running":[0],"queued":[]}],
 "flows":[
  {"flow":"a\"b\n","submitted":2,"completed":0,"failed":0,"cancelled":0,"refused":1,"waiting":0,"mean_seats":[1.0],"latency":{"wait":{"mean":0,"p50":0,"p95":0,"p99":0},"response":{"mean":null,"p50":null,"p95":null,"p99":null}}}],
 "ledger":{"accepted":1,"completed":0,"failed":0,"cancelled":0,"refused":1,"waiting":0,"assigned":0,"running":1},
 "latency":{"wait":{"mean":0,"p50":0,"p95":0,"p99":0},"response":{"mean":null,"p50":null,"p95":null,"p99":null}}}
)");
}

} // namespace poolsim_simulation_tests
