/// The metrics of managed pools, one by one.

#include "libpool/metrics/collector.hpp"
#include "metrics/scrape.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace metrics_families_tests {

using libpool::busy_until;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : test::managed_world {
  world() {
    options.busy_until = busy_until::answer;
  }

  /// Makes the pool "p".
  void make(std::size_t workers, const scripted::script& script) {
    populate(workers, script);
    collector.add(pool, "p");
  }

  test::scrape now() const {
    return test::scrape{collector};
  }

  void request(int n) {
    for (auto i = 0; i < n; ++i)
      client.request(pool, i);
    run();
  }

  /// A worker that takes so long.
  scripted::script taking(std::chrono::nanoseconds time) {
    return [this, time](scripted&) -> caf::behavior {
      return {[this, time](int x) {
        pass(time);
        return x;
      }};
    };
  }

  static scripted::script crashing() {
    return [](scripted&) -> caf::behavior {
      return {[](int) -> int { test::crash(); }};
    };
  }

  libpool::metrics_collector collector;
};

test::scrape::labels state(const char* value) {
  return {{"state", value}};
}

test::scrape::labels reason(const char* value) {
  return {{"reason", value}};
}

test::scrape::labels outcome(const char* value) {
  return {{"outcome", value}};
}

} // namespace

TEST_CASE_FIXTURE(world, "the metric pool_info has the policy of the pool and "
                         "the version of the library as labels") {
  make(1, promising());
  CHECK(now()("pool_info",
              {{"policy", "shared_queue"}, {"version", LIBPOOL_VERSION_STRING}})
        == 1);
}

TEST_CASE_FIXTURE(world, "workers are counted by their states") {
  make(4, promising());
  request(3);
  CHECK(now()("workers", state("idle")) == 1);
  CHECK(now()("workers", state("busy")) == 3);
  CHECK(now()("workers", state("leaving")) == 0);
  CHECK(now()("worker_slots") == 4);
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{},
             caf::actor{holders.at(0)});
  CHECK(now()("workers", state("idle")) == 1);
  CHECK(now()("workers", state("busy")) == 2);
  CHECK(now()("workers", state("leaving")) == 1);
  CHECK(now()("worker_slots") == 3);
  CHECK(now()("workers_left_total", reason("removed")) == 1);
  CHECK(now()("workers_left_total", reason("crashed")) == 0);
  for (std::size_t i = 0; i < 3; ++i)
    deliver(i, 1);
  CHECK(now()("workers", state("leaving")) == 0);
}

TEST_CASE_FIXTURE(
  world,
  "crashed workers count as left, and as restarts if they are replaced") {
  options.restart.max = 1;
  make(2, crashing());
  request(2);
  advance(1s);
  CHECK(now()("workers_left_total", reason("crashed")) == 2);
  CHECK(now()("workers_left_total", reason("ended")) == 0);
  CHECK(now()("worker_restarts_total") == 1);
  CHECK(now()("task_errors_total", reason("worker_crashed")) == 2);
}

TEST_CASE_FIXTURE(world, "tasks are counted by their states") {
  make(1, promising());
  for (auto i = 0; i < 4; ++i)
    client.request(pool, i);
  CHECK(now()("tasks", state("sent")) == 1);
  CHECK(now()("tasks", state("running")) == 0);
  request(1);
  CHECK(now()("tasks", state("sent")) == 0);
  CHECK(now()("tasks", state("running")) == 1);
  CHECK(now()("tasks", state("assigned")) == 0);
  CHECK(now()("tasks", state("waiting")) == 4);
  CHECK(now()("tasks_accepted_total") == 5);
  for (std::size_t i = 0; i < 5; ++i)
    deliver(i, 1);
  CHECK(now()("tasks", state("running")) == 0);
  CHECK(now()("tasks", state("waiting")) == 0);
  CHECK(now()("tasks_accepted_total") == 5);
  CHECK(now()("tasks_settled_total", outcome("completed")) == 5);
}

TEST_CASE_FIXTURE(
  world, "the metric of the capacity exists only if the pool has a capacity") {
  make(1, promising());
  CHECK(!now().has("task_capacity"));
}

TEST_CASE_FIXTURE(world,
                  "each reason of refusal has a counter that starts at 0") {
  options.capacity = 2;
  make(1, promising());
  CHECK(now()("task_capacity") == 2);
  CHECK(now()("tasks_refused_total", reason("queue_full")) == 0);
  request(7);
  CHECK(now()("tasks_refused_total", reason("queue_full")) == 4);
  CHECK(now()("tasks_refused_total", reason("no_workers")) == 0);
  CHECK(now()("tasks_accepted_total") == 3);
  for (std::size_t i = 0; i < 3; ++i)
    deliver(i, 1);
}

TEST_CASE_FIXTURE(world,
                  "a task that has missed its deadline counts as cancelled, "
                  "and also as overdue while its handler runs") {
  options.deadline = 1s;
  make(1, promising());
  CHECK(now()("task_errors_total", reason("deadline_exceeded")) == 0);
  request(2);
  advance(2s);
  CHECK(now()("tasks_settled_total", outcome("cancelled")) == 2);
  CHECK(now()("task_errors_total", reason("deadline_exceeded")) == 2);
  CHECK(now()("tasks_overdue") == 1);
  deliver(0, 1);
  CHECK(now()("tasks_overdue") == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a task that uses up its retries has failed, and its retries are counted") {
  options.on_crash = libpool::retry{2};
  options.restart.max = 9;
  make(1, crashing());
  request(1);
  for (auto i = 0; i < 3; ++i)
    advance(1s); // for a replacement each
  CHECK(now()("task_retries_total") == 2);
  CHECK(now()("tasks_settled_total", outcome("failed")) == 1);
  CHECK(now()("task_errors_total", reason("retries_exhausted")) == 1);
}

TEST_CASE_FIXTURE(world, "a task whose worker answers with an error counts as "
                         "completed, and also as a worker error") {
  make(1, [](scripted&) -> caf::behavior {
    return {[](int x) -> caf::result<int> {
      if (x == 0)
        return caf::sec::bad_function_call;
      return x;
    }};
  });
  request(3);
  CHECK(now()("task_errors_total", reason("worker_error")) == 1);
  CHECK(now()("tasks_settled_total", outcome("completed")) == 3);
}

TEST_CASE_FIXTURE(world, "the histogram of service times has powers of two as "
                         "bounds and the busy time as sum") {
  options.busy_until = busy_until::handler;
  make(1, taking(3ms));
  request(4);
  const auto scraped = now();
  const auto& service = scraped.histogram("task_service_seconds");
  CHECK(service.sample_count == 4);
  CHECK(service.sample_sum == doctest::Approx(0.012));
  CHECK(scraped("worker_busy_seconds_total") == doctest::Approx(0.012));
  REQUIRE(service.bucket.size() == 27);
  for (auto i = 0; i < 27; ++i) {
    const auto& bucket = service.bucket.at(static_cast<std::size_t>(i));
    CHECK(bucket.upper_bound == std::ldexp(1.0, 10 + i) / 1e9);
    CHECK(bucket.cumulative_count == (bucket.upper_bound < 0.003 ? 0 : 4));
  }
}

TEST_CASE_FIXTURE(
  world, "waiting times are a histogram of the waits that have ended") {
  options.busy_until = busy_until::handler;
  options.leases = false;
  make(1, taking(1ms));
  request(3); // which wait for 0, 1 and 2 ms
  const auto scraped = now();
  const auto& wait = scraped.histogram("task_wait_seconds");
  CHECK(wait.sample_count == 3);
  CHECK(wait.sample_sum == doctest::Approx(0.003));
  CHECK(wait.bucket.front().cumulative_count == 1);
  CHECK(wait.bucket.at(10).cumulative_count == 2); // 1.05 ms
  CHECK(wait.bucket.at(11).cumulative_count == 3);
}

TEST_CASE_FIXTURE(world, "the ages of the oldest waiting and longest running "
                         "tasks are shown in seconds") {
  make(1, promising());
  CHECK(now()("oldest_waiting_seconds") == 0);
  CHECK(now()("longest_running_seconds") == 0);
  request(1);
  advance(500ms);
  request(2);
  advance(1s);
  CHECK(now()("longest_running_seconds") == doctest::Approx(1.5));
  CHECK(now()("oldest_waiting_seconds") == doctest::Approx(1));
  for (std::size_t i = 0; i < 3; ++i)
    deliver(i, 1);
  CHECK(now()("longest_running_seconds") == 0);
  CHECK(now()("oldest_waiting_seconds") == 0);
}

TEST_CASE_FIXTURE(world, "times are not shown if they are not measured") {
  options.busy_until = busy_until::handler;
  options.measure_times = false;
  make(1, taking(1ms));
  request(1);
  CHECK(now()("tasks_settled_total", outcome("completed")) == 1);
  for (auto* name :
       {"task_wait_seconds", "task_service_seconds", "oldest_waiting_seconds",
        "longest_running_seconds", "worker_busy_seconds_total"})
    CHECK(!now().has(name));
}

TEST_CASE_FIXTURE(
  world, "tasks that wait for particular workers are counted separately") {
  options.may_run_on = [](const libpool::message_content&) {
    return libpool::worker_choice{{0}, false};
  };
  make(2, promising());
  request(3);
  CHECK(now()("tasks_held") == 2);
  CHECK(now()("workers", state("idle")) == 1);
  for (std::size_t i = 0; i < 3; ++i)
    deliver(i, 1);
}

TEST_CASE_FIXTURE(world, "each worker is shown if the options say so") {
  populate(2, promising());
  libpool::pool_metrics_options all;
  all.workers = true;
  collector.add(pool, "p", all);
  request(1);
  auto at_work = describe(stats().members.at(0));
  CHECK(now().number_of_series("worker_in_flight") == 2);
  CHECK(now()("worker_in_flight", {{"worker", at_work}}) == 1);
  deliver(0, 1);
  CHECK(now()("worker_in_flight", {{"worker", at_work}}) == 0);
}

TEST_CASE_FIXTURE(
  world, "the number of series does not grow with the number of workers") {
  make(20, promising());
  CHECK(!now().has("worker_in_flight"));
}

} // namespace metrics_families_tests
