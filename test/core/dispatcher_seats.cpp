/// Tasks that take seats and have flows, because the order goes by flows.

#include "libpool/policies/order/make_fair_queuing.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

/// A dispatcher whose tasks take seats.
struct seated_world : test::dispatcher_world {
  explicit seated_world(const libpool::limits& within = {})
    : dispatcher_world(by_flows(), within) {
    // nop
  }

  static libpool::composition by_flows() {
    auto result = test::composed(libpool::assignment::lazy, false);
    result.order = libpool::make_fair_queuing({});
    return result;
  }
};

libpool::limits refuses_wide() {
  libpool::limits result;
  result.too_wide = libpool::too_wide::refuse;
  return result;
}

} // namespace

TEST_CASE("an unavailable worker does not change that a task is too wide for "
          "the pool") {
  seated_world w{refuses_wide()};
  CHECK(w.submit_wide(4) == ""); // the pool has no workers yet
  CHECK(w.seat(2) == "send 0 to 0");
  w.does("finish 0, seat 1");
  const auto* refusal =
    ": refused, the task takes more seats than the pool has";
  CHECK(w.submit_wide(4) == std::string{"end 1"} + refusal);
  w.does("due 5");
  w.does("start 2, at 5"); // hangs
  CHECK(w.submit_wide(3) != std::string{"end 3"} + refusal);
  w.retire(0);
  CHECK(w.submit_wide(3) == std::string{"end 4"} + refusal);
  CHECK(w.pool.flows(9).front().refused == 2);
}

TEST_CASE("if the number of seats of a worker changes, the pool counts the new "
          "number") {
  seated_world w;
  w.does("seat, seat");
  CHECK_FALSE(w.workers[0].room_hook.is_linked());
  w.pool.resized(w.workers[0], 4, false, w.now);
  CHECK(w.workers[0].room_hook.is_linked()); // seats differ, so they are sorted
  CHECK(w.submit_wide(9) == "send 0 to 0");
  CHECK(w.tasks[0].attempt().seats == 5);
}
