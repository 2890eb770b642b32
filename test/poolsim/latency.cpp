#include "poolsim/latency.hpp"

#include "poolsim/reading.hpp"
#include "poolsim/simulation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace {

using poolsim::duration;
using poolsim::not_yet;

using times = std::vector<std::int64_t>;

times numbers_of(const poolsim::spread& spread) {
  return {spread.mean.count(), spread.p50.count(), spread.p95.count(),
          spread.p99.count()};
}

times spread_over(std::vector<duration> all) {
  return numbers_of(poolsim::spread_of(all.data(), all.data() + all.size()));
}

/// 1, 2, … in an order of no use.
std::vector<duration> first_numbers(std::int64_t count) {
  std::vector<duration> all;
  for (std::int64_t i = 0; i < count; ++i)
    all.emplace_back(i * 7 % count + 1);
  return all;
}

const times nothing(4, not_yet.count());

poolsim::result simulated(const std::string& text) {
  return poolsim::simulate(poolsim::read_scenario(text));
}

} // namespace

TEST_CASE("quantiles of times are determined by the nearest-rank method") {
  // Of 1 to n: rank and time are the same number, ⌈p n⌉, and the mean is
  // (n + 1) / 2, rounded down.
  CHECK(spread_over(first_numbers(1)) == times{1, 1, 1, 1});
  CHECK(spread_over(first_numbers(2)) == times{1, 1, 2, 2});
  CHECK(spread_over(first_numbers(19)) == times{10, 10, 19, 19});
  CHECK(spread_over(first_numbers(20)) == times{10, 10, 19, 20});
  CHECK(spread_over(first_numbers(100)) == times{50, 50, 95, 99});
  CHECK(spread_over(first_numbers(101)) == times{51, 51, 96, 100});
}

TEST_CASE("latencies are missing if there are no tasks") {
  CHECK(spread_over({}) == nothing);
}

TEST_CASE("the mean of times of the maximum length does not overflow") {
  const std::vector<duration> all(8, poolsim::longest_work);
  CHECK(spread_over(all).front() == poolsim::longest_work.count());
}

TEST_CASE("latencies are reported for each flow, and for all flows together") {
  // One worker: a runs from 0 to 10 and from 10 to 20, b from 20 to 30. b was
  // submitted at 4.
  auto all = simulated(R"({"tasks": [
    {"flow": "a", "service": 10, "count": 2},
    {"flow": "b", "service": 10, "at": 4}]})");
  REQUIRE(all.flows.size() == 2);
  CHECK(numbers_of(all.flows[0].latency.wait) == times{5, 0, 10, 10});
  CHECK(numbers_of(all.flows[0].latency.response) == times{15, 10, 20, 20});
  CHECK(numbers_of(all.flows[1].latency.wait) == times{16, 16, 16, 16});
  CHECK(numbers_of(all.flows[1].latency.response) == times{26, 26, 26, 26});
  CHECK(numbers_of(all.latency.wait) == times{8, 10, 16, 16});
  CHECK(numbers_of(all.latency.response) == times{18, 20, 26, 26});
}

TEST_CASE("a running task has a waiting time, but no response time") {
  auto all = simulated(R"({"until": 15, "tasks": [
    {"service": 10}, {"service": 10}, {"service": 10, "flow": "late"}]})");
  CHECK(numbers_of(all.flows[0].latency.wait) == times{5, 0, 10, 10});
  CHECK(numbers_of(all.flows[0].latency.response) == times{10, 10, 10, 10});
  CHECK(numbers_of(all.flows[1].latency.wait) == nothing);
  CHECK(numbers_of(all.flows[1].latency.response) == nothing);
}

TEST_CASE("the waiting time of a task that runs again ends at its last start") {
  // Worker 0 leaves at 4 in the middle of it; worker 1 begins it anew.
  auto all = simulated(R"({"workers": [{"leave": 4}, {"join": 3}],
    "tasks": [{"service": 10}]})");
  CHECK(numbers_of(all.latency.wait) == times{4, 4, 4, 4});
  CHECK(numbers_of(all.latency.response) == times{14, 14, 14, 14});
}
