/// Scenarios as they are read. Those that are rejected are in refused.txt.

#include "poolsim/reading.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <variant>

namespace poolsim_reading_tests {

namespace {

using poolsim::duration;
using poolsim::read_scenario;

poolsim::scenario read(const std::string& members) {
  return read_scenario("{" + members + "}");
}

/// The only task of a scenario.
poolsim::task_group read_task(const std::string& members) {
  return read(R"("tasks": [{)" + members + "}]").tasks.at(0);
}

/// The shape of a distribution.
template <class Shape>
Shape read_shape(const std::string& distribution) {
  auto task = read_task(R"("service": {"distribution": )" + distribution + "}");
  return std::get<Shape>(task.draws->shape);
}

} // namespace

TEST_CASE("keys that a scenario leaves out have their default values") {
  auto all = read("");
  REQUIRE(all.workers.size() == 1);
  CHECK(all.workers[0].seats == 1);
  CHECK(all.workers[0].speed == 1);
  CHECK(all.how.order.name() == "fifo");
  CHECK(all.how.placement.name() == "round_robin");
  CHECK(!all.how.stealing);
  CHECK(all.measures_all);
  CHECK(!all.until);
  CHECK(!all.window);
  CHECK(!all.nodes);
  CHECK(!all.gather);
  CHECK(all.retries == 0);
  CHECK(all.poison_after == 0);
  CHECK(!read_task(R"("service": 1)").deadline);
}

TEST_CASE("a scenario at the bounds of what is accepted is read") {
  CHECK(read(R"("order": "fair_queuing", "shares": {"gold": 3},
                "tasks": [{"service": 1, "flow": "gold"}])")
          .tasks.size()
        == 1);
  CHECK(read(R"("workers": [{"weight": 1}, {"weight": 2}])").workers[1].weight
        == duration{2});
  CHECK(read(R"("order": "priority",
                "tasks": [{"service": 1, "priority": 9223372036854775807}])")
          .tasks[0]
          .priority
        == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a list of 200000 tasks is read in a short time") {
  std::string tasks{R"({"service": 1})"};
  for (int i = 1; i < 200'000; ++i)
    tasks += R"(, {"service": 1})";
  CHECK(read(R"("tasks": [)" + tasks + "]").tasks.size() == 200'000);
}

TEST_CASE("service times are divided by the speed, and rounded to the nearest "
          "nanosecond") {
  auto all = read(R"("workers": [{"speed": 3}, {"speed": 0.5}],
                     "tasks": [{"service": [100, 7]}, {"service": 5}])");
  CHECK(run_time(all, all.tasks[0], 0).count() == 33);
  CHECK(run_time(all, all.tasks[0], 1).count() == 14);
  CHECK(run_time(all, all.tasks[1], 0).count() == 2);
}

TEST_CASE("the member 'on_crash' of a scenario accepts the values that pools "
          "have for this option") {
  auto retries = [](const std::string& on_crash) {
    return read("\"on_crash\": " + on_crash).retries;
  };
  CHECK(retries(R"("fail")") == 0);
  CHECK(retries(R"({"name": "fail"})") == 0);
  CHECK(retries(R"("retry")") == 1);
  CHECK(retries(R"({"name": "retry"})") == 1);
  CHECK(retries(R"({"name": "retry", "times": 7})") == 7);
}

TEST_CASE("each distribution is read with its parameters") {
  CHECK(read_shape<poolsim::exponential>(R"("exponential", "mean": "5us")").mean
        == duration{5000});
  auto by_sigma =
    read_shape<poolsim::lognormal>(R"("lognormal", "mean": 7, "sigma": 0.5)");
  CHECK(by_sigma.mean == duration{7});
  CHECK(by_sigma.sigma == 0.5);
  auto by_range =
    read_shape<poolsim::uniform>(R"("uniform", "low": 0, "high": 3)");
  CHECK(by_range.low == duration{0});
  CHECK(by_range.high == duration{3});
  auto by_share = read_shape<poolsim::bimodal>(
    R"("bimodal", "low": 1, "high": 9, "high_share": 0.1)");
  CHECK(by_share.low == duration{1});
  CHECK(by_share.high == duration{9});
  CHECK(by_share.high_share == 0.1);
}

TEST_CASE("times that are drawn from an unbounded distribution are limited so "
          "that their sum is a valid time") {
  // 2^62 ns in all. The first group takes 1 ns of it. The million tasks get as
  // much each as there is, at least 64 means.
  auto most = read(R"("tasks": [{"service": 1}, {"count": 1000000, "service":
    {"distribution": "lognormal", "mean": "5ms", "sigma": 10}}])")
                .tasks[1]
                .draws->most;
  CHECK(most * 1'000'000 < poolsim::longest_work);
  CHECK(most * 1'000'001 > poolsim::longest_work);
  // 2^60 ns, over 999 999 gaps.
  auto longest = read_task(R"("service": 1, "count": 1000000, "every":
    {"distribution": "exponential", "mean": "5ms"})")
                   .gaps->most;
  CHECK(longest * 999'999 <= poolsim::longest_time);
  CHECK(longest * 1'000'000 > poolsim::longest_time);
  // At a hundredth of the speed each is 100 times as long.
  auto slow = read(R"("workers": [{"speed": 0.01}, {}], "tasks": [{
    "count": 1000, "service": {"distribution": "exponential", "mean": "5ms"}}])");
  CHECK(run_time(slow, slow.tasks[0], slow.tasks[0].draws->most, 0) * 1000
        <= poolsim::longest_work);
}

} // namespace poolsim_reading_tests
