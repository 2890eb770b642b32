/// Busy pools that end keep no message waiting.

#include "leasing_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace managed_ending_busy_tests {

using test::leasing_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// A pool whose factory lets anything happen while the pool handles facts: the
/// next facts come in one round then.
struct world : leasing_world {
  world() {
    options.restart.max = 1000;
    options.restart.pause = 0ns;
  }

  void populate_replacing(std::size_t n) {
    options.workers = n;
    pool = spawn([this] {
      if (auto now = std::exchange(in_round, nullptr))
        now();
      return make_worker();
    });
    run();
  }

  std::function<void()> in_round;
};

} // namespace

TEST_CASE_FIXTURE(world, "a pool that exits just after a worker has ended "
                         "fails all waiting messages") {
  SUBCASE("with messages in the order of arrival") {
    waits_in = line::of_arrival;
  }
  SUBCASE("with messages in flows") {
    waits_in = line::of_flows;
  }
  auto reason = caf::exit_reason::user_shutdown;
  SUBCASE("when it shuts down") {
    reason = caf::exit_reason::user_shutdown;
  }
  SUBCASE("when it is killed") {
    reason = caf::exit_reason::kill;
  }
  populate_replacing(3);
  during = [](scripted& self, int x) {
    if (x == 20)
      self.quit(test::crash_reason);
  };
  in_round = [this, reason] {
    while (step()) {
      // the other workers end their leases, which the pool hears of later
    }
    caf::anon_send_exit(pool, reason);
  };
  auto sent = request(1, 2000); // more than fail at once
  run();
  REQUIRE(in_round == nullptr);
  REQUIRE(stats().leases > 0);
  auto told = stats();
  CHECK(told.tasks.open() == 0);
  CHECK(told.tasks.balances());
  CHECK(told.tasks.accepted == 2000);
  for (auto each : sent)
    CHECK(client.answer_to(each).count == 1);
}

} // namespace managed_ending_busy_tests
