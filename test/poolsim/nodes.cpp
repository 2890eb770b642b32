/// Nodes of a pool, and the links to them. All numbers are derived by hand.

#include "poolsim/node_runs.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace poolsim_nodes_tests {

// -- links --------------------------------------------------------------------

TEST_CASE("tasks start after their node has joined, and results arrive at the "
          "pool after the latency of the link") {
  auto all = simulated(one_node("", 3));
  CHECK(starts(all) == numbers{4, 14, 24});
  CHECK(ends(all) == numbers{15, 25, 35});
  CHECK(all.workers[0].completed == 3);
  CHECK(ms(all.workers[0].busy) == 30);
  REQUIRE(all.nodes);
  CHECK(all.nodes->sessions == 1);
  CHECK(ms(all.now) == 35);
}

TEST_CASE(
  "a node with a window of one idles while a result and a task are in flight") {
  // At 14 until 16, and at 26 until 28; and from the beginning until 4.
  auto all = simulated(one_node("", 3, R"(, "window": 1)"));
  CHECK(starts(all) == numbers{4, 16, 28});
  CHECK(ms(all.nodes->idle) == 8);
  CHECK(ms(simulated(one_node("", 3)).nodes->idle) == 4);
}

TEST_CASE("the transfer of a message and of its result takes as long as the "
          "bandwidth of the link requires") {
  // A task that a node without tasks gets travels at once: the first content
  // leaves from 3 to 4 and the second one until 5, each 1 ms ahead of its
  // arrival. The results leave from 15 and 25 on and take 3 ms.
  auto all = simulated(R"("nodes": [{"latency": "1ms", "bandwidth": 1e6}],
    "tasks": [{"service": "10ms", "count": 2, "bytes": 1000,
               "result_bytes": 3000}])");
  CHECK(starts(all) == numbers{5, 15});
  CHECK(ends(all) == numbers{19, 29});
  CHECK(all.nodes->bytes == 2000);
  CHECK(all.nodes->result_bytes == 6000);
}

TEST_CASE(
  "the size of a message and the size of its result are drawn independently") {
  auto all = simulated(R"("nodes": [{}], "tasks": [{"service": 1, "count": 9,
    "bytes": {"distribution": "exponential", "mean": 1000},
    "result_bytes": {"distribution": "exponential", "mean": 1000}}])");
  CHECK(all.nodes->bytes > 0);
  CHECK(all.nodes->result_bytes > 0);
  CHECK(all.nodes->bytes != all.nodes->result_bytes);
}

TEST_CASE("a message batch has at most as many tasks as the option 'portion' "
          "allows, and its tasks arrive together") {
  // The first one travels at once, and the other two when all are there.
  std::string rest = R"("nodes": [{"slots": 3, "latency": "1ms",
    "bandwidth": 1e6}], "tasks": [{"service": "10ms", "count": 3,
                                   "bytes": 1000}])";
  CHECK(starts(simulated(rest)) == numbers{5, 7, 7});
  CHECK(starts(simulated(R"("terms": {"portion": 1}, )" + rest))
        == numbers{5, 6, 7});
}

TEST_CASE("a message that exceeds the limit of bytes in flight is sent after "
          "the node has confirmed an earlier message") {
  // 4000 bytes may be under way. The first content leaves from 3 to 6, arrives
  // at 7, and its receipt is there at 8: only then does the second one leave.
  std::string rest = R"("nodes": [{"slots": 3, "latency": "1ms",
    "bandwidth": 1e6}], "tasks": [{"service": "10ms", "count": 3,
                                   "bytes": 3000}])";
  CHECK(starts(simulated(R"("terms": {"credit": 4000}, )" + rest))
        == numbers{7, 12, 17});
  CHECK(starts(simulated(rest)) == numbers{7, 13, 13});
}

TEST_CASE(
  "a node behind a slow link gets only as many tasks as the link can carry") {
  // A content takes 10 ms there, a task 5 ms: one node does two tasks while the
  // other one gets one. Each may have its window at the end.
  auto all = simulated(R"("window": 2, "nodes": [{"latency": "1ms"},
      {"latency": "1ms", "bandwidth": 1e5}],
    "tasks": [{"service": "5ms", "count": 600, "bytes": 1000}])");
  CHECK(all.workers[0].completed + all.workers[1].completed == 600);
  CHECK(all.workers[0].completed >= 395);
  CHECK(all.workers[0].completed <= 405);
}

TEST_CASE("a node that is four times slower gets a quarter of the tasks of the "
          "other node") {
  auto all = simulated(R"("nodes": [{"latency": "1ms"},
      {"latency": "1ms", "speed": 0.25}],
    "tasks": [{"service": "10ms", "count": 500}])");
  CHECK(all.workers[0].completed + all.workers[1].completed == 500);
  CHECK(all.workers[0].completed >= 396);
  CHECK(all.workers[0].completed <= 404);
}

TEST_CASE(
  "a client of nodes continues when the result of its call has arrived") {
  // Calls at 0, 15 and 27: 1 ms there, 10 ms, 1 ms back.
  auto all = simulated(R"("nodes": [{"latency": "1ms"}],
    "clients": [{"calls": 3, "service": "10ms"}])");
  CHECK(times(all, &task_row::submitted) == numbers{0, 15, 27});
  CHECK(ends(all) == numbers{15, 27, 39});
}

// -- the end ------------------------------------------------------------------

TEST_CASE("the simulation stops if no node can ever run a task") {
  // A welcome takes longer than three quarters of a lease.
  auto all = simulated(R"("terms": {"lease": "20ms"}, )"
                       + std::string{R"("nodes": [{"latency": "8ms"}],
      "tasks": [{"service": "10ms", "count": 3}])"});
  CHECK(all.books.waiting == 3);
  CHECK(all.nodes->sessions == 0);
  CHECK(ms(all.now) < 3000);
}

TEST_CASE("the simulation does not stop while a task runs") {
  auto all = simulated(R"("terms": {"lease": "10ms"},
    "nodes": [{"latency": "1ms"}], "tasks": [{"service": "5s"}])");
  CHECK(ends(all) == numbers{5005});
}

TEST_CASE("tasks wait if all nodes are lost permanently") {
  auto all =
    simulated(one_node(R"(, "losses": [{"is": "killed", "at": "10ms"}])", 5));
  CHECK(all.books.failed == 2);
  CHECK(all.books.waiting == 3);
}

TEST_CASE("a simulation with nodes stops at the time that the member 'until' "
          "of the scenario states") {
  auto all = simulated(one_node("", 5, R"(, "until": "17ms")"));
  CHECK(ms(all.now) == 17);
  CHECK(all.workers[0].running == std::vector<std::size_t>{1});
  CHECK(all.workers[0].queued == std::vector<std::size_t>{2});
  CHECK(ms(all.workers[0].busy) == 13);
  CHECK(all.tasks[1].is == fate::running);
  CHECK(all.tasks[2].is == fate::assigned);
  CHECK(all.tasks[3].is == fate::waiting);
}

TEST_CASE(
  "the report of a pool with nodes counts the transferred messages and bytes") {
  auto told = nlohmann::json::parse(report_of(one_node("", 3))).at("nodes");
  CHECK(told.at("batches") > 0);
  told.erase("batches");
  CHECK(told
        == nlohmann::json{{"sessions", 1},
                          {"lost", 0},
                          {"given_back", 0},
                          {"strays", 0},
                          {"bytes", 0},
                          {"result_bytes", 0},
                          {"idle", 4'000'000}});
  CHECK(!poolsim::simulate(poolsim::read_scenario("{}")).nodes);
}

} // namespace poolsim_nodes_tests
