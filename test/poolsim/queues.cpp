/// Simulations against the results of queueing theory.

#include "poolsim/reading.hpp"
#include "poolsim/simulation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace {

constexpr double ms = 1e6;

double in_ms(poolsim::duration time) {
  return static_cast<double>(time.count()) / ms;
}

/// `count` tasks at Poisson arrivals every 2 ms, on one worker.
poolsim::result one_queue(std::size_t count, const std::string& service) {
  return poolsim::simulate(poolsim::read_scenario(
    R"({"policy": "shared_queue", "tasks": [{"count": )" + std::to_string(count)
    + R"(, "every": {"distribution": "exponential", "mean": "2ms"},
       "service": )"
    + service + "}]}"));
}

} // namespace

TEST_CASE("in an M/M/1 queue at a load of 1/2, the mean waiting time of tasks "
          "is one mean service time") {
  // Load r = 1/2, mean service S = 1 ms. The mean wait is r S / (1 - r) = S.
  // The mean over n tasks in a row has, for large n, the variance
  // r (2 + 5r - 4r² + r³) / (1 - r)⁴ S² / n = 29 S² / n (Daley, The serial
  // correlation coefficients of waiting times in a stationary single server
  // queue, 1968). The response is exponential with mean S / (1 - r) = 2 S, so
  // that its quantiles are 2 S ln 1/(1 - p).
  constexpr std::size_t n = 200'000;
  auto all = one_queue(n, R"({"distribution": "exponential", "mean": "1ms"})");
  auto deviation = std::sqrt(29.0 / n);
  CHECK(std::abs(in_ms(all.latency.wait.mean) - 1) < 4 * deviation);
  CHECK(std::abs(in_ms(all.latency.response.mean) - 2) < 5 * deviation);
  // A quantile moves by 2 S / (1 - p) for each unit that the share of the tasks
  // below it is off. Successive tasks resemble each other: waits, of which the
  // variance is 3 S², as if only one of 29/3 counted; so it is taken for
  // shares.
  auto check_quantile = [&](poolsim::duration is, double p) {
    auto share = std::sqrt(29.0 / 3 * p * (1 - p) / n);
    CAPTURE(p);
    CHECK(std::abs(in_ms(is) - 2 * std::log(1 / (1 - p)))
          < 4 * share * 2 / (1 - p));
  };
  check_quantile(all.latency.response.p50, 0.5);
  check_quantile(all.latency.response.p95, 0.95);
  check_quantile(all.latency.response.p99, 0.99);
}

TEST_CASE(
  "tasks of equal length at load 1/2 wait half as long as exponential tasks") {
  // M/D/1: r S / 2 (1 - r) = S / 2 (Pollaczek and Khinchine). Waits vary less
  // than the waits of M/M/1, so its tolerance will do.
  constexpr std::size_t n = 200'000;
  auto all = one_queue(n, R"("1ms")");
  CHECK(std::abs(in_ms(all.latency.wait.mean) - 0.5) < 4 * std::sqrt(29.0 / n));
}
