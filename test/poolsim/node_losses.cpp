/// What becomes of tasks when nodes are lost. All numbers are derived by hand.

#include "poolsim/node_runs.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace poolsim_nodes_tests {

namespace {

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

// -- losses -------------------------------------------------------------------

TEST_CASE("without retries, only the tasks of a killed node fail") {
  // Killed at 20: task 1 runs, task 2 waits there. The next program is there at
  // 120, and has the next tasks at 124. The pool has heard of the first one at
  // 15, and gives it up a lease later, at 5015.
  std::vector<poolsim::task_run> runs;
  auto all = simulated(
    one_node(R"(, "losses": [{"is": "killed", "at": "20ms", "for": "100ms"}])",
             5),
    [&](const poolsim::task_run& each) { runs.push_back(each); });
  CHECK(failed(all) == std::vector<std::size_t>{1, 2});
  CHECK(all.tasks[1].why == errc::worker_crashed);
  CHECK(starts(all) == numbers{4, 14, -1, 124, 134});
  CHECK(ends(all) == numbers{15, 5015, 5015, 135, 145});
  CHECK(all.nodes->lost == 2);
  CHECK(all.nodes->sessions == 2);
  CHECK(ms(all.workers[0].busy) == 36);
  REQUIRE(runs.size() == 4);
  CHECK(runs[1].how == poolsim::task_run::ending::crashed);
}

TEST_CASE(
  "a result that the pool has not received is lost when its node is killed") {
  // Killed when the result of task 0 is half way, and task 1 has begun.
  auto all = simulated(one_node(
    R"(, "losses": [{"is": "killed", "at": "14500us", "for": "1ms"}])", 3));
  CHECK(failed(all) == std::vector<std::size_t>{0, 1});
  CHECK(ends(all) == numbers{5003, 5003, 30.5});
}

TEST_CASE("a killed node loses as many tasks as its window, the maximum number "
          "of tasks that the node has") {
  // Four slots demand eight tasks.
  auto losses = R"(, "slots": 4, "losses": [{"is": "killed", "at": "10ms"}])";
  CHECK(failed(simulated(one_node(losses, 20))).size() == 8);
  CHECK(failed(simulated(one_node(losses, 20, R"(, "window": 5)"))).size()
        == 5);
}

TEST_CASE("with retries, the tasks of a killed node run again after the lease "
          "of the node has expired") {
  // The pool has heard of it at 15, and gives it up at 1015.
  auto all = simulated(
    R"("on_crash": "retry", "terms": {"lease": "1s"}, )"
    + one_node(
      R"(, "losses": [{"is": "killed", "at": "20ms", "for": "100ms"}])", 5));
  CHECK(failed(all).empty());
  CHECK(all.books.completed == 5);
  CHECK(starts(all) == numbers{4, 1016, 1026, 124, 134});
  CHECK(ends(all) == numbers{15, 1027, 1037, 135, 145});
  CHECK(all.nodes->lost == 2);
}

TEST_CASE("a lost task counts as not started until it runs again") {
  auto all = simulated(
    R"("on_crash": "retry", "terms": {"lease": "1s"}, "until": "1015500us", )"
    + one_node(
      R"(, "losses": [{"is": "killed", "at": "20ms", "for": "100ms"}])", 2));
  CHECK(starts(all) == numbers{4, -1});
  CHECK(all.tasks[1].is == fate::assigned);
}

TEST_CASE(
  "a task that was lost with the maximum number of nodes fails as poisoned") {
  // Killed at 8, 17, 26, 35. The pool has heard of its first session at 8 and
  // gives it up at 28. It does not know that the second one is dead, too, and
  // sends it the task: that one was heard of at 17, and is given up at 37.
  auto all = simulated(
    R"("on_crash": {"name": "retry", "times": 9}, "poison_after": 2,
       "terms": {"lease": "20ms"}, )"
    + one_node(
      R"(, "losses": [{"is": "killed", "every": "8ms", "for": "1ms"}])", 1));
  REQUIRE(failed(all).size() == 1);
  CHECK(all.tasks[0].why == errc::poisoned);
  CHECK(all.nodes->lost == 2);
  CHECK(ends(all) == numbers{37});
}

TEST_CASE(
  "a node that is suspended for a shorter time than its lease loses no task") {
  // The task that runs from 14 pauses from 20 to 25.
  auto all = simulated(one_node(
    R"(, "losses": [{"is": "stands_still", "at": "20ms", "for": "5ms"}])", 3));
  CHECK(starts(all) == numbers{4, 14, 29});
  CHECK(ends(all) == numbers{15, 30, 40});
  CHECK(all.nodes->sessions == 1);
}

TEST_CASE("a node that is suspended for a longer time than its lease is given "
          "up, and discards its queued tasks") {
  // Heard at 15, given up at 115. It wakes up at
  // 520 in the middle of task 1, which ends at 524, and beats. At 522 it knows
  // that its session is gone; it is welcome at 524, and has task 3 at 526.
  auto all = simulated(
    R"("terms": {"lease": "100ms"}, )"
    + one_node(
      R"(, "losses": [{"is": "stands_still", "at": "20ms", "for": "500ms"}])",
      4));
  CHECK(failed(all) == std::vector<std::size_t>{1, 2});
  CHECK(ends(all) == numbers{15, 115, 115, 537});
  CHECK(starts(all) == numbers{4, 14, -1, 526});
  CHECK(all.nodes->sessions == 2);
}

TEST_CASE(
  "results that a cut link drops are sent again when the link works again") {
  // The node beats at 30, is asked at 32 for the result of 24, which arrives at
  // 33, and task 3 leaves then.
  auto all = simulated(
    one_node(R"(, "losses": [{"is": "cut", "at": "20ms", "for": "10ms"}])", 4));
  CHECK(starts(all) == numbers{4, 14, 24, 34});
  CHECK(ends(all) == numbers{15, 33, 35, 45});
  CHECK(all.nodes->lost == 0);
}

TEST_CASE(
  "tasks that a cut link drops are sent again when the link works again") {
  // The beat of 13.5 comes back at 15.5 and tells that tasks are missing, which
  // leave at 16.5.
  auto all = simulated(one_node(
    R"(, "losses": [{"is": "cut", "at": "3500us", "for": "10ms"}])", 2));
  CHECK(starts(all) == numbers{17.5, 27.5});
  // Task 2 leaves at 15, and again at 28.5.
  all = simulated(one_node(
    R"(, "losses": [{"is": "cut", "at": "15500us", "for": "10ms"}])", 3));
  CHECK(starts(all) == numbers{4, 14, 29.5});
}

TEST_CASE(
  "a cut that is shorter than three quarters of a lease loses no task") {
  // What was at the node is done meanwhile, and task 3 leaves when the results
  // arrive, as after a shorter cut.
  auto all = simulated(one_node(
    R"(, "losses": [{"is": "cut", "at": "20ms", "for": "3700ms"}])", 4));
  CHECK(all.books.completed == 4);
  CHECK(starts(all) == numbers{4, 14, 24, 3724});
  CHECK(ends(all) == numbers{15, 3723, 3723, 3735});
  CHECK(all.nodes->lost == 0);
  CHECK(all.nodes->sessions == 1);
}

TEST_CASE("results that arrive after the lease of their node has expired are "
          "discarded") {
  // The pool gives the node up at 126. That has begun task 2 at 24, which is
  // within its lease. It beats at 320: the pool asks for the results that are
  // missing, and says that the session is gone, which the node knows at 322.
  // Two results of nobody and a hello arrive at 323, and the demand at 325.
  auto all = simulated(
    R"("terms": {"lease": "100ms"}, )"
    + one_node(R"(, "losses": [{"is": "cut", "at": "20ms", "for": "300ms"}])",
               4));
  CHECK(failed(all) == std::vector<std::size_t>{1, 2});
  CHECK(all.nodes->strays == 2);
  CHECK(all.nodes->sessions == 2);
  CHECK(starts(all) == numbers{4, 14, 24, 326});
}

TEST_CASE("for repeated losses of nodes, the times are drawn for each node "
          "separately") {
  auto members = [](const std::string& seed) {
    return R"("seed": )" + seed
           + R"(, "on_crash": {"name": "retry", "times": 9},
      "terms": {"lease": "20ms"},
      "nodes": [{"count": 3, "latency": "1ms", "losses": [{"is": "killed",
        "every": {"distribution": "exponential", "mean": "100ms"},
        "for": "10ms"}]}],
      "tasks": [{"service": "10ms", "count": 100}])";
  };
  auto all = simulated(members("1"));
  CHECK(all.books.completed == 100);
  CHECK(all.nodes->sessions > 3);
  CHECK(report_of(members("1")) == report_of(members("1")));
  CHECK(report_of(members("1")) != report_of(members("2")));
}

TEST_CASE("a node that leaves gives back unstarted tasks, and completes "
          "started tasks") {
  // Tasks go to the nodes in turns. At 20 node 0 is at task 2 and has task 4,
  // which is in the pool at 21 and goes to node 1 when that has room: at 25.
  // There it begins after task 5.
  auto all = simulated(R"("nodes": [{"latency": "1ms", "leave": "20ms"},
      {"latency": "1ms"}], "tasks": [{"service": "10ms", "count": 6}])");
  CHECK(workers(all) == std::vector<std::uint32_t>{0, 1, 0, 1, 1, 1});
  CHECK(ends(all) == numbers{15, 15, 25, 25, 45, 35});
  CHECK(all.nodes->given_back == 1);
  CHECK(all.nodes->lost == 0);
}

TEST_CASE("a node that has left the pool does not join again after a loss that "
          "the scenario has for a later time") {
  auto all = simulated(R"("nodes": [{"latency": "1ms", "leave": "20ms",
      "losses": [{"is": "killed", "at": "50ms", "for": "10ms"}]},
      {"latency": "1ms"}], "tasks": [{"service": "10ms", "count": 20}])");
  CHECK(all.nodes->sessions == 2);
  CHECK(all.workers[0].completed == 2);
}

TEST_CASE("nodes are numbered in the order in which they join") {
  auto all = simulated(R"("nodes": [{"join": "50ms", "latency": "10ms"},
    {"latency": "1ms"}], "tasks": [{"service": "10ms"}])");
  CHECK(workers(all) == std::vector<std::uint32_t>{0});
  CHECK(starts(all) == numbers{4});
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
