/// The time of a managed pool.

#include "libpool/actors/managed/pool_clock.hpp"
#include "support/hand_cranked.hpp"

#include <caf/actor_config.hpp>
#include <caf/make_actor.hpp>
#include <doctest/doctest.h>

#include <chrono>

using namespace std::chrono_literals;

namespace {

/// An actor that counts how often it is woken.
class sleeper final : public libpool::delivering<sleeper, libpool::watcher> {
public:
  explicit sleeper(caf::actor_config& cfg) : delivering(cfg) {
    // nop
  }

  void deliver(caf::mailbox_element_ptr&&, libpool::execution_context*) {
    // nop
  }

  void worker_died(libpool::worker_number, const caf::error&,
                   libpool::execution_context*) override {
    // nop
  }

  void time_is_up(libpool::execution_context*) override {
    ++woken;
  }

  int woken = 0;
};

struct clock_world : test::hand_cranked {
  libpool::instant now() {
    return system().clock().now();
  }

  void handled(std::chrono::nanoseconds service) {
    clock.task_ended(now(), now() + service);
  }

  caf::actor_config config;
  caf::strong_actor_ptr handle =
    caf::make_actor<sleeper, caf::strong_actor_ptr>(
      system().next_actor_id(), system().node(), &system(), config);
  sleeper& pool = static_cast<sleeper&>(*handle->get());
  libpool::pool_clock clock{system().clock(), pool, true};
};

} // namespace

TEST_CASE_FIXTURE(clock_world, "tasks are classified as tiny if all recent "
                               "tasks took less than 10 microseconds, and each "
                               "later task reduces a long time by an eighth") {
  CHECK(!clock.tasks_are_tiny()); // none has ended
  handled(9us);
  CHECK(clock.tasks_are_tiny());
  handled(10us);
  CHECK(!clock.tasks_are_tiny());
  handled(20us);
  for (auto i = 0; i < 5; ++i) { // 20 us times (7/8)^5 is 10.26 us
    handled(1ns);
    CHECK(!clock.tasks_are_tiny());
  }
  handled(1ns);
  CHECK(clock.tasks_are_tiny());
}

TEST_CASE_FIXTURE(clock_world,
                  "the pool is woken once, at the earliest time that it asked "
                  "for, and not after wake_never") {
  for (auto due : {4ms, 2ms, 3ms})
    clock.wake_at(now() + due);
  CHECK(alarms() == 1);
  advance(1ms);
  CHECK(pool.woken == 0);
  advance(1ms);
  CHECK(pool.woken == 1);
  CHECK(clock.woke() == now());
  CHECK(alarms() == 0);
  clock.wake_at(now() + 2ms);
  clock.wake_never();
  CHECK(alarms() == 0);
  advance(10ms);
  CHECK(pool.woken == 1);
}
