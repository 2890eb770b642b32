#include "poolsim/latency.hpp"

#include "poolsim/runs.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace poolsim_latency_tests {

namespace {

using poolsim::duration;
using times = std::vector<std::int64_t>;

/// Mean, p50, p95 and p99.
times numbers_of(const poolsim::spread& spread) {
  return {spread.mean.count(), spread.p50.count(), spread.p95.count(),
          spread.p99.count()};
}

times spread_over(const std::vector<duration>& all) {
  auto copy = all;
  return numbers_of(poolsim::spread_of(copy.data(), copy.data() + copy.size()));
}

const times nothing(4, poolsim::not_yet.count());

} // namespace

TEST_CASE("quantiles of times are determined by the nearest-rank method") {
  // Of 1 to n: rank and time are the same number, ⌈p n⌉, and the mean is
  // (n + 1) / 2, rounded down.
  auto first_numbers = [](std::int64_t count) {
    std::vector<duration> all;
    for (std::int64_t i = 0; i < count; ++i) // in an order of no use
      all.emplace_back(i * 7 % count + 1);
    return all;
  };
  CHECK(spread_over(first_numbers(1)) == times{1, 1, 1, 1});
  CHECK(spread_over(first_numbers(2)) == times{1, 1, 2, 2});
  CHECK(spread_over(first_numbers(19)) == times{10, 10, 19, 19});
  CHECK(spread_over(first_numbers(20)) == times{10, 10, 19, 20});
  CHECK(spread_over(first_numbers(100)) == times{50, 50, 95, 99});
  CHECK(spread_over(first_numbers(101)) == times{51, 51, 96, 100});
  CHECK(spread_over({}) == nothing);
  const std::vector<duration> longest(8, poolsim::longest_work);
  CHECK(spread_over(longest).front() == poolsim::longest_work.count());
}

TEST_CASE("latencies are reported for each flow, and for all flows together") {
  // One worker: a runs from 0 to 10 and from 10 to 20, b from 20 to 30. b was
  // submitted at 4.
  auto all = test::simulated(R"("tasks": [
    {"flow": "a", "service": 10, "count": 2},
    {"flow": "b", "service": 10, "at": 4}])");
  REQUIRE(all.flows.size() == 2);
  CHECK(numbers_of(all.flows[0].latency.wait) == times{5, 0, 10, 10});
  CHECK(numbers_of(all.flows[0].latency.response) == times{15, 10, 20, 20});
  CHECK(numbers_of(all.flows[1].latency.wait) == times{16, 16, 16, 16});
  CHECK(numbers_of(all.flows[1].latency.response) == times{26, 26, 26, 26});
  CHECK(numbers_of(all.latency.wait) == times{8, 10, 16, 16});
  CHECK(numbers_of(all.latency.response) == times{18, 20, 26, 26});
}

TEST_CASE("a running task has a waiting time, but no response time") {
  auto all = test::simulated(R"("until": 15, "tasks": [
    {"service": 10}, {"service": 10}, {"service": 10, "flow": "late"}])");
  CHECK(numbers_of(all.flows[0].latency.wait) == times{5, 0, 10, 10});
  CHECK(numbers_of(all.flows[0].latency.response) == times{10, 10, 10, 10});
  CHECK(numbers_of(all.flows[1].latency.wait) == nothing);
  CHECK(numbers_of(all.flows[1].latency.response) == nothing);
}

TEST_CASE("the waiting time of a task that runs again ends at its last start, "
          "and failed and cancelled tasks have no response time") {
  // Worker 0 leaves at 4 in the middle of it; worker 1 begins it anew.
  auto again = test::simulated(R"("workers": [{"leave": 4}, {"join": 3}],
    "tasks": [{"service": 10}])");
  CHECK(numbers_of(again.latency.wait) == times{4, 4, 4, 4});
  CHECK(numbers_of(again.latency.response) == times{14, 14, 14, 14});
  auto lost = test::simulated(R"("placement": "least_used",
    "assignment": "lazy", "window": 1, "workers": [{"crash": 3}, {}],
    "tasks": [{"service": 10}, {"service": 7}, {"service": 1, "deadline": 2}])");
  CHECK(numbers_of(lost.latency.response) == times{7, 7, 7, 7});
}

} // namespace poolsim_latency_tests
