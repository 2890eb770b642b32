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
  void populate_replacing(std::size_t n) {
    options.workers = n;
    options.restart.max = 1000;
    options.restart.pause = 0ns;
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

TEST_CASE("a pool that exits just after a worker has ended fails all waiting "
          "messages") {
  for (auto by_flow : {false, true})
    for (auto reason :
         {caf::exit_reason::user_shutdown, caf::exit_reason::kill}) {
      CAPTURE(by_flow);
      CAPTURE(reason);
      world w;
      w.goes_by_flow = by_flow;
      w.populate_replacing(3);
      w.during = [](scripted& self, int x) {
        if (x == 20)
          self.quit(test::crash_reason);
      };
      w.in_round = [&w, reason] {
        while (w.step()) {
          // the other workers end their leases, which the pool hears of later
        }
        caf::anon_send_exit(w.pool, reason);
      };
      auto sent = w.request(1, 2000); // more than fail at once
      w.run();
      REQUIRE(w.in_round == nullptr);
      REQUIRE(w.stats().leases > 0);
      CHECK(w.stats().tasks.accepted == 2000);
      for (auto each : sent)
        CHECK(w.client.answer_to(each).count == 1);
    }
}

} // namespace managed_ending_busy_tests
