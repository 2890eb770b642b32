/// The time of a managed pool.

#include "libpool/actors/managed/pool_clock.hpp"
#include "stub_watcher.hpp"
#include "support/hand_cranked.hpp"

#include <doctest/doctest.h>

#include <chrono>

using libpool::instant;
using libpool::never;
using libpool::pool_clock;
using namespace std::chrono_literals;

namespace {

struct clock_world : test::hand_cranked {
  instant now() {
    return system().clock().now();
  }

  void handled(std::chrono::nanoseconds service) {
    measuring.task_ended(now(), now() + service);
  }

  test::stub pool{system()};
  pool_clock measuring{system().clock(), *pool, true};
  pool_clock idle{system().clock(), *pool, false};
};

} // namespace

TEST_CASE_FIXTURE(clock_world,
                  "the time of a pool clock does not change within a round") {
  pass(1ms);
  auto then = now();
  CHECK(measuring.now() == then);
  pass(1ms);
  CHECK(measuring.now() == then);
  measuring.round_begins();
  CHECK(measuring.now() == then + 1ms);
}

TEST_CASE_FIXTURE(clock_world, "after a task has ended, the pool uses the "
                               "reported end time as the current time") {
  auto then = now();
  pass(1ms);
  measuring.task_ended(then, then + 5us);
  CHECK(measuring.now() == then + 5us);
}

TEST_CASE_FIXTURE(
  clock_world,
  "the time of a pool clock is zero if the pool measures no times") {
  pass(1ms);
  CHECK(idle.now() == instant{});
  CHECK(idle.timer() == nullptr);
  CHECK(idle.look() == now());
  CHECK(measuring.timer() == &system().clock());
}

TEST_CASE_FIXTURE(clock_world, "tasks are classified as tiny if all recent "
                               "tasks took less than 10 microseconds") {
  CHECK(!measuring.tasks_are_tiny()); // none has ended
  handled(9us);
  CHECK(measuring.tasks_are_tiny());
  handled(10us);
  CHECK(!measuring.tasks_are_tiny());
}

TEST_CASE_FIXTURE(
  clock_world,
  "each later task reduces the influence of a long task by an eighth") {
  handled(20us);
  for (auto i = 0; i < 5; ++i) { // 20 us times (7/8)^5 is 10.26 us
    handled(1ns);
    CHECK(!measuring.tasks_are_tiny());
  }
  handled(1ns);
  CHECK(measuring.tasks_are_tiny());
}

TEST_CASE_FIXTURE(clock_world,
                  "the pool is woken once, at the time that it asked for") {
  measuring.wake_at(now() + 2ms);
  advance(1ms);
  CHECK(pool->woken == 0);
  advance(1ms);
  CHECK(pool->woken == 1);
  CHECK(measuring.woke() == now());
  advance(10ms);
  CHECK(pool->woken == 1);
}

TEST_CASE_FIXTURE(
  clock_world,
  "an alarm of the clock moves to an earlier time, but not to a later one") {
  measuring.wake_at(now() + 4ms);
  measuring.wake_at(now() + 2ms);
  measuring.wake_at(now() + 3ms);
  CHECK(alarms() == 1);
  advance(2ms);
  CHECK(pool->woken == 1);
  CHECK(alarms() == 0);
}

TEST_CASE_FIXTURE(clock_world,
                  "the clock has no alarm for a pool that waits for no time") {
  measuring.wake_at(now() + 2ms);
  measuring.wake_never();
  CHECK(alarms() == 0);
  advance(2ms);
  CHECK(pool->woken == 0);
}
