/// The time of a managed pool.

#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "support/managed_world.hpp"

#include <doctest/doctest.h>

#include <chrono>

using namespace std::chrono_literals;

TEST_CASE_FIXTURE(test::managed_world,
                  "tasks are classified as tiny if all recent tasks took less "
                  "than 10 microseconds, and each later task reduces a long "
                  "time by an eighth") {
  make_empty();
  auto& woken = dynamic_cast<libpool::watcher&>(libpool::actor_behind(pool));
  libpool::pool_clock clock{system().clock(), woken, true};
  auto is_tiny_after = [&](libpool::duration service) {
    clock.task_took(service);
    return clock.tasks_are_tiny();
  };
  CHECK(!clock.tasks_are_tiny()); // none has ended
  CHECK(is_tiny_after(9us));
  CHECK(!is_tiny_after(10us));
  CHECK(!is_tiny_after(20us));
  for (auto i = 0; i < 5; ++i) // 20 us times (7/8)^5 is 10.26 us
    CHECK(!is_tiny_after(1ns));
  CHECK(is_tiny_after(1ns));
}
