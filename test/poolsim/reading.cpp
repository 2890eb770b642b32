/// Scenarios as they are read. Those that are rejected are in refused.txt.

#include "poolsim/reading.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace poolsim_reading_tests {

namespace {

using poolsim::duration;
using poolsim::node_loss;
using poolsim::read_scenario;

constexpr duration ms{1'000'000};

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

TEST_CASE("tasks that are restricted to the same workers share one list of "
          "these workers") {
  auto all = read(
    R"("workers": [{"count": 3}], "tasks": [
         {"service": 1, "only": [2, 0]}, {"service": 1, "only": [0, 2, 2]},
         {"service": 1, "only": [0, 2], "loose": true}, {"service": 1}])");
  REQUIRE(all.choices.size() == 2);
  CHECK(all.choices[0].only == std::vector<std::size_t>{0, 2});
  CHECK(all.tasks[0].where == all.tasks[1].where);
  CHECK(all.tasks[2].where == std::size_t{1});
  CHECK(!all.tasks[3].where);
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

TEST_CASE(
  "a worker group has one crash time for all workers, or one for each worker") {
  auto all = read(R"("workers": [{"count": 2, "crash": 7},
                                 {"count": 2, "crash": [7, 9]}, {}])");
  std::vector<std::optional<duration>> crashes;
  for (const auto& each : all.workers)
    crashes.push_back(each.crash);
  CHECK((crashes
         == decltype(crashes){duration{7}, duration{7}, duration{7},
                              duration{9}, std::nullopt}));
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

TEST_CASE("a group of nodes is read with its number of slots, its network link "
          "and its losses") {
  auto all = read(R"("window": 7,
    "terms": {"lease": "2s", "portion": 3, "credit": 4096},
    "nodes": [{"join": 5}, {"count": 2, "slots": 3, "speed": 2,
      "latency": "4ms", "bandwidth": 1e6, "leave": "9s",
      "losses": [{"is": "killed", "at": "1ms", "for": "2ms"},
                 {"is": "cut", "every": "3ms", "for": "4ms"},
                 {"is": "stands_still", "at": 0}]}])");
  REQUIRE(all.nodes);
  CHECK(all.nodes->terms.lease == 2000 * ms);
  CHECK(all.nodes->terms.portion == 3);
  CHECK(all.nodes->terms.credit == 4096);
  CHECK(all.nodes->terms.most_in_flight == 7);
  CHECK(all.nodes->group_of == std::vector<std::size_t>{1, 1, 0});
  CHECK(all.workers[0].seats == 3);
  CHECK(all.workers[0].speed == 2);
  CHECK(all.workers[0].leave == 9000 * ms);
  CHECK(all.workers[2].seats == 1);
  const auto& group = all.nodes->groups[1];
  CHECK(group.latency.fixed == 4 * ms);
  CHECK(group.bandwidth == 1e6);
  REQUIRE(group.losses.size() == 3);
  CHECK(group.losses[0].is == node_loss::kind::killed);
  CHECK(group.losses[0].at == 1 * ms);
  CHECK(group.losses[0].lasts == 2 * ms);
  CHECK(group.losses[1].is == node_loss::kind::cut);
  CHECK(!group.losses[1].at);
  CHECK(group.losses[1].every.fixed == 3 * ms);
  CHECK(group.losses[2].is == node_loss::kind::stands);
  CHECK(!group.losses[2].lasts);
}

TEST_CASE("options of nodes that a scenario leaves out have the default values "
          "of the library") {
  auto nodes = *read(R"("nodes": [{}])").nodes;
  CHECK(nodes.terms.lease == libpool::node_terms{}.lease);
  CHECK(nodes.terms.most_in_flight == 1024);
  CHECK(nodes.groups[0].bandwidth == std::numeric_limits<double>::infinity());
  CHECK(nodes.groups[0].losses.empty());
}

TEST_CASE(
  "the size of a content or of a result is a number or a distribution") {
  auto all = read(R"("nodes": [{}], "tasks": [{"service": 1, "bytes": 5,
    "result_bytes": {"distribution": "uniform", "low": 2, "high": 4}}])");
  CHECK(all.tasks[0].bytes.fixed == 5);
  REQUIRE(all.tasks[0].result_bytes.draws);
  CHECK(all.tasks[0].result_bytes.draws->least_room() == duration{4});
}

} // namespace poolsim_reading_tests
