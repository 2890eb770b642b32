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

// -- more tasks than workers can handle before their deadlines ----------------

namespace {

constexpr std::size_t flooding = 8000; // tasks

/// Returns how many of 8000 tasks end in time on four workers. `gap`: time
/// between two tasks in µs. `members`: further members of the tasks.
std::size_t in_time(const char* policy, std::size_t gap,
                    const std::string& members, bool drops) {
  auto text = R"({"policy": ")" + std::string{policy}
              + R"(", "workers": [{"count": 4}], "deadline": "55ms", )"
              + (drops ? R"("drop_hopeless": true, )" : "")
              + R"("tasks": [{"count": )" + std::to_string(flooding)
              + R"(, "every": ")" + std::to_string(gap) + R"(us", )" + members
              + "}]}";
  return poolsim::simulate(poolsim::read_scenario(text)).books.completed;
}

} // namespace

// Service S = 10 ms, deadline D = 55 ms, a task every g. Once the first task
// has ended, the estimate is S, and a task begins only if it will end in time.
// More than (D - S) / g > 4 tasks wait that can still end in time, so workers
// are never idle until D - S after the last arrival. In the time 8000 g + D - S
// each worker completes a task per S, except at the beginning, where tasks may
// be late as long as no estimate is known: for one S of each worker, and for
// one more S of each worker that runs late tasks.
TEST_CASE("if hopeless tasks are dropped, workers spend all of their time on "
          "tasks of equal length that end in time, however many arrive") {
  for (const auto* policy : {"shared_queue", "earliest_deadline"})
    for (std::size_t gap : {1250U, 1000U, 250U, 100U, 25U}) { // load 2 to 100
      CAPTURE(policy);
      CAPTURE(gap);
      auto most = 4 * (static_cast<double>(flooding * gap) / 1000 + 45) / 10;
      for (const std::string stops : {"", R"(, "obeys_stop": true)"}) {
        auto completed = static_cast<double>(
          in_time(policy, gap, R"("service": "10ms")" + stops, true));
        CHECK(completed <= most + 4);
        CHECK(completed >= most - 12);
      }
    }
}

// Without dropping, workers of a flooded queue begin the task that is about to
// miss its deadline, since it is the oldest one. With estimates, a worker
// begins a task that has at least about the mean service time left. For
// exponential times that is enough with the probability 1 - 1/e = 63 %, less
// the variation of the estimate.
TEST_CASE("if hopeless tasks are dropped, more than half of the tasks with "
          "exponential times that begin end in time, however many arrive") {
  const std::string service =
    R"("service": {"distribution": "exponential", "mean": "10ms"})";
  for (const auto* policy : {"shared_queue", "earliest_deadline"})
    for (std::size_t gap : {1000U, 250U, 100U}) {
      CAPTURE(policy);
      CAPTURE(gap);
      auto begun = 4 * (static_cast<double>(flooding * gap) / 1000 + 45) / 10;
      auto completed = static_cast<double>(in_time(policy, gap, service, true));
      CHECK(completed > 0.5 * begun);
      CHECK(completed
            > static_cast<double>(in_time(policy, gap, service, false)));
    }
}
