/// Pools whose workers live on nodes, beyond stories.txt.

#include "poolsim/node_troubles.hpp"
#include "poolsim/one_way.hpp"
#include "poolsim/runs.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
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

TEST_CASE("messages on a link that is cleared do not arrive, and occupy no "
          "bandwidth") {
  constexpr poolsim::duration ms{1'000'000};
  poolsim::one_way<int> way{1e6};
  way.send(1, 3000, 0 * ms, ms);
  way.clear();
  CHECK(way.next() == poolsim::duration::max());
  way.send(2, 1000, 0 * ms, ms);
  CHECK(way.take(2 * ms) == 2);
  // Beyond the range of the clock is never.
  way.send(3, std::numeric_limits<std::size_t>::max(), 0 * ms, way.next());
  CHECK(way.next() == poolsim::duration::max());
}

TEST_CASE("a drawn time between losses depends on the seed, the node, the "
          "entry of the loss and the number of the draw") {
  poolsim::node_loss loss;
  loss.every.draws =
    poolsim::distribution{poolsim::exponential{std::chrono::milliseconds{9}}};
  loss.lasts = poolsim::duration{0};
  const std::vector<poolsim::node_loss> losses{loss, loss};
  auto changes = [&](std::uint64_t seed, std::size_t node) {
    poolsim::node_troubles troubles{losses, seed, node, poolsim::duration{0}};
    std::vector<poolsim::duration> all;
    for (auto i = 0; i < 6; ++i) {
      all.push_back(troubles.next());
      troubles.take(troubles.next());
    }
    return all;
  };
  auto first = changes(1, 0);
  CHECK(first == changes(1, 0));
  CHECK(first != changes(2, 0));
  CHECK(first != changes(1, 1));
  CHECK(first[2] != first[0]); // the entries
  CHECK(first[4] - first[2] != first[2] - first[0]);
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
