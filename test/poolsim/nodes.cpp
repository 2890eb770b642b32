/// Pools whose workers live on nodes, the links to them, and what becomes of
/// tasks when nodes are lost. All numbers are derived by hand; times are in ms.
///
/// Where nothing else is said there is one node with one slot, 1 ms away. It
/// says hello at 0, is welcome at 2, and its demand of two tasks arrives at 3.
/// Two tasks of 10 ms arrive at 4, of which one begins. Its result is there at
/// 15, a third task arrives at 16, the second one has begun at 14, and so on.

#include "poolsim/runs.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace poolsim_nodes_tests {

namespace {

poolsim::result simulated(const std::string& members) {
  return test::simulated(R"("policy": "shared_queue", )" + members);
}

/// One node 1 ms away, with further members, and so many tasks of 10 ms.
std::string one_node(const std::string& more_of_node, std::size_t tasks,
                     const std::string& more = {}) {
  return R"("nodes": [{"latency": "1ms")" + more_of_node
         + R"(}], "tasks": [{"service": "10ms", "count": )"
         + std::to_string(tasks) + "}]" + more;
}

/// The node suffers this once, from 20 on or from another time.
std::string one_loss(const std::string& kind, const std::string& lasts,
                     std::size_t tasks, const std::string& more = {},
                     const std::string& at = "20ms") {
  return one_node(R"(, "losses": [{"is": ")" + kind + R"(", "at": ")" + at
                    + R"(", "for": ")" + lasts + "\"}]",
                  tasks, more);
}

struct simulation {
  std::string fact;
  std::string members;
  std::string story;
  std::uint64_t sessions = 1;
  std::uint64_t lost = 0;
};

void check(const std::vector<simulation>& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.fact);
    auto all = simulated(row.members);
    CHECK(test::story_of(all) == row.story);
    REQUIRE(all.nodes);
    CHECK(all.nodes->sessions == row.sessions);
    CHECK(all.nodes->lost == row.lost);
  }
}

/// Three nodes that suffer everything, and one that leaves.
std::string with_all_losses(std::size_t seed, std::size_t retries) {
  std::string result{R"("terms": {"lease": "40ms", "portion": 4,
                                  "credit": 2048},
    "nodes": [{"count": 3, "slots": 2, "bandwidth": 1e6,
      "latency": {"distribution": "exponential", "mean": "1ms"},
      "losses": [
        {"is": "killed", "for": "20ms",
         "every": {"distribution": "exponential", "mean": "150ms"}},
        {"is": "stands_still", "for": "60ms",
         "every": {"distribution": "exponential", "mean": "150ms"}},
        {"is": "cut", "for": "30ms",
         "every": {"distribution": "exponential", "mean": "150ms"}}]},
      {"leave": "100ms"}],
    "tasks": [{"count": 120, "every": "1ms",
      "service": {"distribution": "exponential", "mean": "8ms"},
      "bytes": {"distribution": "exponential", "mean": 500},
      "result_bytes": {"distribution": "exponential", "mean": 500}}])"};
  result.append(R"(, "seed": )").append(std::to_string(seed));
  if (retries > 0)
    result.append(R"(, "on_crash": {"name": "retry", "times": )")
      .append(std::to_string(retries))
      .append("}");
  return result;
}

} // namespace

TEST_CASE("messages and results travel over the links of nodes") {
  const std::string slow_link = R"("nodes": [{"slots": 3, "latency": "1ms",
    "bandwidth": 1e6}], "tasks": [{"service": "10ms", "count": 3, "bytes": )";
  check({
    {"tasks start after their node has joined, and results take the latency",
     one_node("", 3), "0: 4-15 on 0; 0: 14-25 on 0; 0: 24-35 on 0"},
    {"a node with a window of one idles while a result and a task travel",
     one_node("", 3, R"(, "window": 1)"),
     "0: 4-15 on 0; 0: 16-27 on 0; 0: 28-39 on 0"},
    // A task that a node without tasks gets travels at once: the first content
    // leaves from 3 to 4 and the second one until 5, each 1 ms ahead of its
    // arrival. The results leave from 15 and 25 on and take 3 ms.
    {"contents and results take as long as the bandwidth requires",
     R"("nodes": [{"latency": "1ms", "bandwidth": 1e6}],
        "tasks": [{"service": "10ms", "count": 2, "bytes": 1000,
                   "result_bytes": 3000}])",
     "0: 5-19 on 0; 0: 15-29 on 0"},
    // The first one travels at once, and the other two when all are there.
    {"the tasks of a message batch arrive together", slow_link + "1000}]",
     "0: 5-16 on 0; 0: 7-18 on 0; 0: 7-18 on 0"},
    {"a message batch has at most as many tasks as the option 'portion' allows",
     slow_link + R"(1000}], "terms": {"portion": 1})",
     "0: 5-16 on 0; 0: 6-17 on 0; 0: 7-18 on 0"},
    // 4000 bytes may be under way. The first content leaves from 3 to 6,
    // arrives at 7, and its receipt is there at 8: then the second one leaves.
    {"a message beyond the bytes in flight waits for a receipt",
     slow_link + R"(3000}], "terms": {"credit": 4000})",
     "0: 7-18 on 0; 0: 12-23 on 0; 0: 17-28 on 0"},
    {"messages within the bytes in flight do not wait", slow_link + "3000}]",
     "0: 7-18 on 0; 0: 13-24 on 0; 0: 13-24 on 0"},
    {"a client continues when the result of its call has arrived",
     R"("nodes": [{"latency": "1ms"}],
        "clients": [{"calls": 3, "service": "10ms"}])",
     "0: 4-15 on 0; 15: 16-27 on 0; 27: 28-39 on 0"},
    {"nodes are numbered in the order in which they join",
     R"("nodes": [{"join": "50ms", "latency": "10ms"}, {"latency": "1ms"}],
        "tasks": [{"service": "10ms"}])",
     "0: 4-15 on 0"},
    {"the simulation does not stop while a task runs",
     R"("terms": {"lease": "10ms"}, "nodes": [{"latency": "1ms"}],
        "tasks": [{"service": "5s"}])",
     "0: 4-5005 on 0"},
    // A welcome takes longer than three quarters of a lease.
    {"the simulation stops if no node can ever run a task",
     R"("terms": {"lease": "20ms"}, "nodes": [{"latency": "8ms"}],
        "tasks": [{"service": "10ms", "count": 2}])",
     "0: waiting; 0: waiting", 0},
    {"tasks wait if all nodes are lost permanently",
     one_node(R"(, "losses": [{"is": "killed", "at": "10ms"}])", 3),
     "0: 4-5003 on 0 failed:worker_crashed; 0: -5003 on 0 "
     "failed:worker_crashed; 0: waiting",
     1, 2},
    {"at the time of the member 'until', the simulation stops",
     one_node("", 4, R"(, "until": "17ms")"),
     "0: 4-15 on 0; 0: 14- on 0 running; 0: on 0 assigned; 0: waiting"},
  });
}

TEST_CASE("tasks of nodes that are lost fail, or run again") {
  check({
    // Task 1 runs, task 2 waits there. The next program is there at 120, and
    // has the next tasks at 124. The pool has heard of the first one at 15, and
    // gives it up a lease later, at 5015.
    {"without retries, only the tasks of a killed node fail",
     one_loss("killed", "100ms", 5),
     "0: 4-15 on 0; 0: 14-5015 on 0 failed:worker_crashed; 0: -5015 on 0 "
     "failed:worker_crashed; 0: 124-135 on 0; 0: 134-145 on 0",
     2, 2},
    // Killed when the result of task 0 is half way, and task 1 has begun.
    {"a result that the pool has not received is lost when its node is killed",
     one_loss("killed", "1ms", 3, "", "14500us"),
     "0: 4-5003 on 0 failed:worker_crashed; 0: 14-5003 on 0 "
     "failed:worker_crashed; 0: 19.5-30.5 on 0",
     2, 2},
    // The pool has heard of it at 15, and gives it up at 1015.
    {"with retries, the tasks of a killed node run again after its lease",
     one_loss("killed", "100ms", 5,
              R"(, "on_crash": "retry", "terms": {"lease": "1s"})"),
     "0: 4-15 on 0; 0: 1016-1027 on 0; 0: 1026-1037 on 0; 0: 124-135 on 0; 0: "
     "134-145 on 0",
     2, 2},
    {"a lost task counts as not started until it runs again",
     one_loss("killed", "100ms", 2,
              R"(, "on_crash": "retry", "terms": {"lease": "1s"},
                 "until": "1015500us")"),
     "0: 4-15 on 0; 0: on 0 assigned", 2, 1},
    // Killed at 8, 17, 26, 35. The pool has heard of its first session at 8 and
    // gives it up at 28. It does not know that the second one is dead, too, and
    // sends it the task: that one was heard of at 17, and is given up at 37.
    {"a task that was lost with the maximum number of nodes is poisoned",
     R"("on_crash": {"name": "retry", "times": 9}, "poison_after": 2,
        "terms": {"lease": "20ms"}, )"
       + one_node(
         R"(, "losses": [{"is": "killed", "every": "8ms", "for": "1ms"}])", 1),
     "0: -37 on 0 failed:poisoned", 4, 2},
    // The task that runs from 14 pauses from 20 to 25.
    {"a node that is suspended for a shorter time than its lease loses no task",
     one_loss("stands_still", "5ms", 3),
     "0: 4-15 on 0; 0: 14-30 on 0; 0: 29-40 on 0"},
    // Heard at 15, given up at 115. It wakes up at 520 in the middle of task 1,
    // which ends at 524, and beats. At 522 it knows that its session is gone;
    // it is welcome at 524, and has task 3 at 526.
    {"a node that is suspended for longer than its lease is given up",
     one_loss("stands_still", "500ms", 4, R"(, "terms": {"lease": "100ms"})"),
     "0: 4-15 on 0; 0: 14-115 on 0 failed:worker_crashed; 0: -115 on 0 "
     "failed:worker_crashed; 0: 526-537 on 0",
     2, 2},
    // The node beats at 30, is asked at 32 for the result of 24, which arrives
    // at 33, and task 3 leaves then.
    {"results that a cut link drops are sent again when the link works again",
     one_loss("cut", "10ms", 4),
     "0: 4-15 on 0; 0: 14-33 on 0; 0: 24-35 on 0; 0: 34-45 on 0"},
    // The beat of 13.5 comes back at 15.5 and tells that tasks are missing,
    // which leave at 16.5.
    {"tasks that a cut link drops are sent again when the link works again",
     one_loss("cut", "10ms", 2, "", "3500us"),
     "0: 17.5-28.5 on 0; 0: 27.5-38.5 on 0"},
    // Task 2 leaves at 15, and again at 28.5.
    {"a later task that a cut link drops is sent again",
     one_loss("cut", "10ms", 3, "", "15500us"),
     "0: 4-15 on 0; 0: 14-28.5 on 0; 0: 29.5-40.5 on 0"},
    // What was at the node is done meanwhile, and task 3 leaves when the
    // results arrive, as after a shorter cut.
    {"a cut that is shorter than three quarters of a lease loses no task",
     one_loss("cut", "3700ms", 4),
     "0: 4-15 on 0; 0: 14-3723 on 0; 0: 24-3723 on 0; 0: 3724-3735 on 0"},
    // The pool gives the node up at 115. That has begun task 2 at 24, which is
    // within its lease. It beats at 320: the pool asks for the results that are
    // missing, and says that the session is gone, which the node knows at 322.
    // Two results of nobody and a hello arrive at 323, and the demand at 325.
    {"results that arrive after the lease of their node are discarded",
     one_loss("cut", "300ms", 4, R"(, "terms": {"lease": "100ms"})"),
     "0: 4-15 on 0; 0: 14-115 on 0 failed:worker_crashed; 0: 24-115 on 0 "
     "failed:worker_crashed; 0: 326-337 on 0",
     2, 2},
    // Tasks go to the nodes in turns. At 20 node 0 is at task 2 and has task 4,
    // which is in the pool at 21 and goes to node 1 when that has room: at 25.
    // There it begins after task 5.
    {"a node that leaves gives back unstarted and completes started tasks",
     R"("nodes": [{"latency": "1ms", "leave": "20ms"}, {"latency": "1ms"}],
        "tasks": [{"service": "10ms", "count": 6}])",
     "0: 4-15 on 0; 0: 4-15 on 1; 0: 14-25 on 0; 0: 14-25 on 1; 0: 34-45 on 1; "
     "0: 24-35 on 1",
     2},
    {"a node that has left does not join again after a later loss",
     R"("nodes": [{"latency": "1ms", "leave": "20ms",
          "losses": [{"is": "killed", "at": "50ms", "for": "10ms"}]},
          {"latency": "1ms"}], "tasks": [{"service": "10ms", "count": 8}])",
     "0: 4-15 on 0; 0: 4-15 on 1; 0: 14-25 on 0; 0: 14-25 on 1; 0: 34-45 on 1; "
     "0: 24-35 on 1; 0: 44-55 on 1; 0: 54-65 on 1",
     2},
    {"a loss that is due before its node joins occurs when the node joins",
     R"("nodes": [{"latency": "1ms", "join": "7ms",
          "losses": [{"is": "killed", "at": "3ms", "for": "2ms"}]}],
        "tasks": [{"service": "10ms"}])",
     "0: 13-24 on 0", 1},
  });
}

TEST_CASE("a killed node loses as many tasks as its window, the maximum number "
          "of tasks that the node has") {
  // Four slots demand eight tasks.
  auto losses = R"(, "slots": 4, "losses": [{"is": "killed", "at": "10ms"}])";
  CHECK(simulated(one_node(losses, 20)).books.failed == 8);
  CHECK(simulated(one_node(losses, 20, R"(, "window": 5)")).books.failed == 5);
}

TEST_CASE(
  "a node gets as many tasks as its link can carry, and as it can run") {
  // A content takes 10 ms on the slow link, a task 5 ms: one node does two
  // tasks while the other one gets one. Each may have its window at the end.
  auto all = simulated(R"("window": 2, "nodes": [{"latency": "1ms"},
      {"latency": "1ms", "bandwidth": 1e5}],
    "tasks": [{"service": "5ms", "count": 600, "bytes": 1000}])");
  CHECK(all.workers[0].completed + all.workers[1].completed == 600);
  CHECK(all.workers[0].completed >= 395);
  CHECK(all.workers[0].completed <= 405);
  all = simulated(R"("nodes": [{"latency": "1ms"},
      {"latency": "1ms", "speed": 0.25}],
    "tasks": [{"service": "10ms", "count": 500}])");
  CHECK(all.workers[0].completed + all.workers[1].completed == 500);
  CHECK(all.workers[0].completed >= 396);
  CHECK(all.workers[0].completed <= 404);
}

TEST_CASE("the report of a pool with nodes counts the transferred messages and "
          "bytes") {
  // The node is idle until 5.
  auto all = simulated(R"("nodes": [{"latency": "1ms", "bandwidth": 1e6}],
    "tasks": [{"service": "10ms", "count": 2, "bytes": 1000,
               "result_bytes": 3000}])");
  CHECK(test::ms(all.workers[0].busy) == 20);
  auto told = nlohmann::json::parse(test::report_of(all)).at("nodes");
  CHECK(told.at("batches") > 0);
  told.erase("batches");
  CHECK(told
        == nlohmann::json{{"sessions", 1},
                          {"lost", 0},
                          {"given_back", 0},
                          {"strays", 0},
                          {"bytes", 2000},
                          {"result_bytes", 6000},
                          {"idle", 5'000'000}});
  // From 14 until 16, from 26 until 28, and from the beginning until 4.
  CHECK(test::ms(simulated(one_node("", 3, R"(, "window": 1)")).nodes->idle)
        == 8);
  // The sizes of contents and of results are drawn independently.
  auto drawn = simulated(R"("nodes": [{}], "tasks": [{"service": 1, "count": 9,
    "bytes": {"distribution": "exponential", "mean": 1000},
    "result_bytes": {"distribution": "exponential", "mean": 1000}}])");
  CHECK(drawn.nodes->bytes > 0);
  CHECK(drawn.nodes->result_bytes > 0);
  CHECK(drawn.nodes->bytes != drawn.nodes->result_bytes);
}

TEST_CASE("for repeated losses of nodes, the times are drawn for each node "
          "separately") {
  auto run = [](const std::string& seed) {
    return simulated(R"("on_crash": {"name": "retry", "times": 9},
      "terms": {"lease": "20ms"},
      "nodes": [{"count": 3, "latency": "1ms", "losses": [{"is": "killed",
        "every": {"distribution": "exponential", "mean": "100ms"},
        "for": "10ms"}]}],
      "tasks": [{"service": "10ms", "count": 100}], "seed": )"
                     + seed);
  };
  auto all = run("1");
  CHECK(all.books.completed == 100);
  CHECK(all.nodes->sessions > 3);
  CHECK(test::report_of(all) == test::report_of(run("1")));
  CHECK(test::report_of(all) != test::report_of(run("2")));
}

TEST_CASE(
  "each task of nodes with losses completes, or fails after its last retry") {
  std::uint64_t lost = 0;
  std::uint64_t given_back = 0;
  std::uint64_t strays = 0;
  for (std::size_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto retries = seed % 3;
    auto all = simulated(with_all_losses(seed, retries));
    CHECK(all.books.completed + all.books.failed == 120);
    CHECK(all.books.balances());
    // Each failure is one loss more than there are retries.
    CHECK(all.nodes->lost >= all.books.failed * (retries + 1));
    if (retries == 0)
      CHECK(all.nodes->lost == all.books.failed);
    lost += all.nodes->lost;
    given_back += all.nodes->given_back;
    strays += all.nodes->strays;
  }
  CHECK(lost > 60);
  CHECK(given_back > 0);
  CHECK(strays > 0);
}

} // namespace poolsim_nodes_tests
