/// Numbers of workers that follow the load, and arrivals by a rate.

#include "poolsim/distribution.hpp"
#include "poolsim/runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using poolsim::duration;
using poolsim::rate_curve;
using sizes = std::vector<std::pair<duration, std::size_t>>;
using time_unless_over = std::optional<duration>;

/// Returns the mean number of workers from `begin` to `end`.
double mean_size(const poolsim::result& result, duration begin, duration end) {
  double sum = 0;
  const auto& changes = result.size->changes;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    auto next = i + 1 < changes.size() ? changes[i + 1].first : end;
    auto lasted = std::min(next, end) - std::max(changes[i].first, begin);
    if (lasted > 0s)
      sum += static_cast<double>(changes[i].second)
             * static_cast<double>(lasted.count());
  }
  return sum / static_cast<double>((end - begin).count());
}

} // namespace

TEST_CASE("the time after which a mean number of arrivals has come is that of "
          "the area below the curve of rates") {
  const rate_curve flat{{1s, 2}, {11s, 2}};
  CHECK(time_after(flat, 1s, 3) == time_unless_over{2500ms});
  CHECK(time_after(flat, 10s, 3) == time_unless_over{});
  // The area below a ramp from 0 to 10 in 10 s is x²/2.
  const rate_curve ramps{{0s, 0}, {10s, 10}, {10s, 1}, {20s, 3}, {30s, 0}};
  CHECK(time_after(ramps, 0s, 8) == time_unless_over{4s});
  CHECK(time_after(ramps, 4s, 10) == time_unless_over{6s});
  // 42 to 10 s, and then 1 · x + x²/10 = 7.5.
  CHECK(time_after(ramps, 4s, 49.5) == time_unless_over{15s});
  // 20 to 20 s, and then 3 · x - 0.15 x² = 15 at the end.
  CHECK(time_after(ramps, 10s, 20 + 11.25) == time_unless_over{25s});
  CHECK(expected_arrivals(ramps) == 50 + 20 + 15);
}

TEST_CASE("arrivals by a rate are a Poisson process") {
  // In each part the number has the variance of its mean; in all, 5 standard
  // deviations are allowed.
  auto all = test::simulated(R"("tasks": [{"service": 0,
    "rates": [["1h", 0], ["2h", 20], ["2h", 5], ["3h", 5]]}])");
  auto number_until = [&](duration end) {
    return std::count_if(
      all.tasks.begin(), all.tasks.end(),
      [&](const auto& each) { return each.submitted < end; });
  };
  auto check = [](auto number, double mean) {
    CHECK(std::abs(static_cast<double>(number) - mean) < 5 * std::sqrt(mean));
  };
  CHECK(number_until(1h) == 0);
  check(number_until(90min), 9000);
  check(number_until(2h), 36000);
  check(number_until(3h) - number_until(2h), 18000);
  CHECK(number_until(3h) == static_cast<long>(all.tasks.size()));
}

TEST_CASE("with the rule of libpool, a pool with a steady load has the workers "
          "for it and a fifth in reserve") {
  // 8 tasks of 1 s in a second, ÷ 0.8.
  auto all = test::simulated(R"("policy": "shared_queue",
    "autoscale": {"least": 1, "most": 20}, "startup": "2s",
    "tasks": [{"count": 1600, "every": "125ms", "service": "1s"}])");
  CHECK(mean_size(all, 100s, 200s) >= 10);
  CHECK(mean_size(all, 100s, 200s) <= 11);
  CHECK(all.books.completed == 1600);
}

TEST_CASE("with the rule of libpool, an idle pool can have no workers") {
  auto all = test::simulated(R"("policy": "shared_queue",
    "autoscale": {"least": 0, "most": 2}, "startup": "500ms",
    "tasks": [{"count": 2, "every": "100s", "service": "1s"}])");
  CHECK(mean_size(all, 50s, 100s) == 0);
  CHECK(all.size->starts == 1);
  CHECK(test::starts(all) == test::numbers{0, 100'500});
}

TEST_CASE("with the rule of poolifier, a task that finds all workers busy has "
          "a worker made, which ends when it was idle for a minute") {
  auto all = test::simulated(R"("policy": "shared_queue", "until": "100s",
    "autoscale": {"rule": "poolifier", "least": 1, "most": 3},
    "startup": "5s", "tasks": [{"count": 2, "service": "10s"}])");
  CHECK(test::starts(all) == test::numbers{0, 5000});
  // From 10 s, one worker is enough.
  CHECK(all.size->changes == sizes{{0s, 2}, {70s, 1}});
  CHECK(all.size->starts == 1);
  CHECK(all.size->workers.most == 2);
  CHECK(all.size->worker_hours == doctest::Approx((2 * 70 + 30) / 3600.0));
}

TEST_CASE("with the rule of poolifier, workers start one by one or together") {
  auto starts = [](const std::string& option) {
    auto all = test::simulated(R"("policy": "shared_queue", "startup": "9s",
      "autoscale": {"rule": "poolifier", "most": 9)"
                               + option + R"(},
      "tasks": [{"count": 4, "every": "2s", "service": "8s"}])");
    return all.size->starts;
  };
  CHECK(starts("") == 1);
  CHECK(starts(R"(, "one_by_one": false)") == 3);
}
