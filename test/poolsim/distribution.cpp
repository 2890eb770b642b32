/// Times that are drawn. Tolerances are four standard deviations of the value
/// in question: one of 16 000 seeds would be outside, and the seed is fixed.

#include "poolsim/distribution.hpp"

#include "poolsim/runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace poolsim_distribution_tests {

namespace {

using poolsim::distribution;
using poolsim::draw_use;
using poolsim::duration;
using test::simulated;
using times = std::vector<std::int64_t>;

constexpr std::size_t many = 100'000;
constexpr duration ms{1'000'000};

times drawn(const distribution& from, std::size_t count,
            std::uint64_t seed = 1) {
  times result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(
      from.draw(poolsim::bits_for(seed, draw_use::service, 0, 0, i)).count());
  return result;
}

double mean_of(const times& all) {
  double sum = 0;
  for (auto each : all)
    sum += static_cast<double>(each);
  return sum / static_cast<double>(all.size());
}

/// The share of the times that are at most that long.
double share_up_to(const times& all, double most) {
  auto count = std::count_if(all.begin(), all.end(), [&](auto each) {
    return static_cast<double>(each) <= most;
  });
  return static_cast<double>(count) / static_cast<double>(all.size());
}

/// Checks how many of `many` times are at most that long. The count is
/// binomial, so the share's deviation is sqrt(p (1 - p) / many).
void check_share(const times& all, double most, double expected) {
  CAPTURE(most);
  auto deviation = std::sqrt(expected * (1 - expected) / double{many});
  CHECK(std::abs(share_up_to(all, most) - expected) < 4 * deviation);
}

/// Checks the mean, of times with that deviation.
void check_mean(const times& all, double expected, double deviation) {
  CHECK(std::abs(mean_of(all) - expected)
        < 4 * deviation / std::sqrt(double{many}));
}

times submissions(const poolsim::result& simulated) {
  times result;
  for (const auto& each : simulated.tasks)
    result.push_back(each.submitted.count());
  return result;
}

times run_times(const poolsim::result& simulated) {
  times result;
  for (const auto& each : simulated.tasks)
    result.push_back((each.finished - each.started).count());
  return result;
}

} // namespace

TEST_CASE("exponential times have the mean and the quantiles of the "
          "exponential distribution") {
  auto all = drawn({poolsim::exponential{ms}}, many);
  check_mean(all, 1e6, 1e6); // the deviation is the mean
  for (double x : {0.1, 0.5, 1.0, 3.0})
    check_share(all, x * 1e6, 1 - std::exp(-x));
}

TEST_CASE(
  "lognormal times have the mean and the shares of a lognormal distribution") {
  for (double sigma : {0.25, 1.0}) {
    CAPTURE(sigma);
    auto all = drawn({poolsim::lognormal{ms, sigma}}, many);
    check_mean(all, 1e6, 1e6 * std::sqrt(std::exp(sigma * sigma) - 1));
    // The median is mean e^(-sigma²/2); of a normal variable, that share is
    // below z deviations.
    for (auto [z, share] :
         std::vector<std::pair<double, double>>{{-2, 0.022750},
                                                {-1, 0.158655},
                                                {0, 0.5},
                                                {1, 0.841345},
                                                {2, 0.977250}})
      check_share(all, 1e6 * std::exp(sigma * z - sigma * sigma / 2), share);
  }
}

TEST_CASE("times that are drawn from a uniform distribution have each value of "
          "the range equally often") {
  auto few = drawn({poolsim::uniform{duration{3}, duration{5}}}, many);
  CHECK(*std::min_element(few.begin(), few.end()) == 3);
  CHECK(*std::max_element(few.begin(), few.end()) == 5);
  check_share(few, 3, 1.0 / 3);
  check_share(few, 4, 2.0 / 3);
}

TEST_CASE(
  "bimodal times take one of two values, in the shares that were asked for") {
  auto all = drawn({poolsim::bimodal{ms, 10 * ms, 0.1}}, many);
  check_share(all, 1e6, 0.9);
  for (auto each : all)
    CHECK((each == 1'000'000 || each == 10'000'000));
}

TEST_CASE("drawn times do not exceed their maximum, even for heavy-tailed "
          "distributions") {
  auto all = drawn({poolsim::lognormal{poolsim::longest_time, 4}}, many);
  CHECK(*std::max_element(all.begin(), all.end())
        == poolsim::longest_time.count());
  CHECK(*std::min_element(all.begin(), all.end()) >= 0);
  all = drawn({poolsim::exponential{ms}, 2 * ms}, many);
  CHECK(*std::max_element(all.begin(), all.end()) == 2'000'000);
}

TEST_CASE(
  "a seed of the random numbers yields the same times on every machine") {
  // The numbers themselves say nothing but that. Change them when the way of
  // drawing is changed, and say so in the changelog.
  CHECK(drawn({poolsim::exponential{ms}}, 3) == times{38679, 424293, 1251056});
  CHECK(drawn({poolsim::lognormal{ms, 1}}, 3) == times{548554, 835162, 217923});
  CHECK(drawn({poolsim::uniform{duration{0}, ms}}, 3)
        == times{993368, 156528, 566969});
  CHECK(drawn({poolsim::bimodal{duration{1}, duration{2}, 0.5}}, 8)
        == times{1, 2, 1, 2, 1, 2, 2, 2});
}

TEST_CASE("a drawn time depends on the seed, the purpose, the entry in the "
          "scenario, the thread and the number of the draw") {
  const distribution from{poolsim::exponential{ms}};
  auto drawn = from.draw(poolsim::bits_for(1, draw_use::service, 0, 0, 0));
  CHECK(drawn == from.draw(poolsim::bits_for(1, draw_use::service, 0, 0, 0)));
  for (auto bits : {poolsim::bits_for(2, draw_use::service, 0, 0, 0),
                    poolsim::bits_for(1, draw_use::gap, 0, 0, 0),
                    poolsim::bits_for(1, draw_use::service, 1, 0, 0),
                    poolsim::bits_for(1, draw_use::service, 0, 1, 0),
                    poolsim::bits_for(1, draw_use::service, 0, 0, 1)})
    CHECK(drawn != from.draw(bits));
}

TEST_CASE(
  "the drawn times of a simulation depend on the seed, but not on the policy") {
  auto text = [](const std::string& rest) {
    return R"("workers": [{"count": 3}], )" + rest + R"(, "tasks": [
      {"count": 50, "every": {"distribution": "exponential", "mean": "1ms"},
       "service": {"distribution": "lognormal", "mean": "2ms", "sigma": 1}}],
      "clients": [{"threads": 2, "calls": 20,
       "service": {"distribution": "uniform", "low": 0, "high": "1ms"}}])";
  };
  auto first = simulated(text(R"("placement": "least_used")"));
  auto other = simulated(text(R"("placement": "random")"));
  auto sorted = [](times all) {
    std::sort(all.begin(), all.end());
    return all;
  };
  CHECK(sorted(run_times(first)) == sorted(run_times(other)));
  CHECK(run_times(first)
        == run_times(simulated(text(R"("placement": "least_used")"))));
  CHECK(sorted(run_times(first))
        != sorted(run_times(
          simulated(text(R"("placement": "least_used", "seed": 2)")))));
}

TEST_CASE("if the gaps between tasks are drawn, each task is submitted one gap "
          "after the previous task") {
  const std::string every =
    R"("every": {"distribution": "bimodal", "low": 10, "high": 1000,
                   "high_share": 0.5})";
  auto all = submissions(simulated(
    R"("tasks": [{"at": 7, "service": 0, "count": 40, )" + every + "}]"));
  CHECK(all.front() == 7);
  times gaps;
  for (std::size_t i = 1; i < all.size(); ++i)
    gaps.push_back(all[i] - all[i - 1]);
  CHECK(std::count(gaps.begin(), gaps.end(), 10) > 0);
  CHECK(std::count(gaps.begin(), gaps.end(), 1000) > 0);
  CHECK(std::count(gaps.begin(), gaps.end(), 10)
          + std::count(gaps.begin(), gaps.end(), 1000)
        == 39);
}

TEST_CASE("a drawn service time is divided by the speed of the worker, and "
          "stays the same after an interruption of the run") {
  const std::string service =
    R"("service": {"distribution": "exponential", "mean": "10ms"})";
  auto plain = run_times(simulated(R"("tasks": [{)" + service + "}]"));
  auto twice = run_times(
    simulated(R"("workers": [{"speed": 2}], "tasks": [{)" + service + "}]"));
  CHECK(twice.front() == (plain.front() + 1) / 2);
  // Worker 0 leaves after 1 ns, so that worker 1 runs it.
  auto again = run_times(simulated(
    R"("workers": [{"leave": 1}, {"join": 1}], "tasks": [{)" + service + "}]"));
  CHECK(again == plain);
}

} // namespace poolsim_distribution_tests
