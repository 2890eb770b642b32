/// Tasks that take seats and have flows, because the order goes by flows.

#include "libpool/policies/order/fair_queuing.hpp"
#include "libpool/policies/order/make_fair_queuing.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using libpool::fair_queuing_options;
using libpool::limits;
using libpool::overflow;

namespace {

/// A dispatcher whose tasks take seats.
struct seated_world : test::dispatcher_world {
  explicit seated_world(const limits& within = {},
                        const fair_queuing_options& options = {})
    : dispatcher_world(by_flows(options), within) {
    // nop
  }

  static libpool::composition by_flows(const fair_queuing_options& options) {
    auto result = test::composed(libpool::assignment::lazy, false);
    result.order = libpool::make_fair_queuing(options);
    return result;
  }
};

limits refuses_wide() {
  limits result;
  result.too_wide = libpool::too_wide::refuse;
  return result;
}

fair_queuing_options with_limit(std::size_t limit) {
  fair_queuing_options result;
  result.queue_limit = limit;
  return result;
}

} // namespace

// -- seats --------------------------------------------------------------------

TEST_CASE("a task takes as many seats as its width, but not more than its "
          "worker and the pool have") {
  seated_world w;
  w.does("seat 2, seat");
  CHECK(w.submit_wide(100) == "send 0 to 0");
  CHECK(w.tasks[0].attempt().seats == 3);
  CHECK(w.workers[0].seats_taken == 2);
  CHECK(w.workers[0].seats_charged == 3);
  CHECK(w.submit() == "");
  CHECK(w.seat(2) == "send 1 to 1");
  CHECK(w.submit_wide(2) == "");
  CHECK(w.finish(0) == "end 0: completed; send 2 to 2");
  CHECK(w.workers[0].seats_taken == 0);
  CHECK(w.workers[0].seats_charged == 0);
}

TEST_CASE("a task that needs several seats does not wait for the seats of a "
          "worker that leaves or hangs, and waits for those of a paused one") {
  for (const auto* fact : {"retire 0", "leave 0", "at 5"}) {
    CAPTURE(fact);
    seated_world w;
    w.does("seat, seat, due 5");
    CHECK(w.submit_wide(2) == "");
    CHECK(w.does("start 0, pause 0") == "");
    w.does(fact);
    CHECK(w.tasks[1].on == &w.workers[1]);
    CHECK(w.tasks[1].attempt().seats == 1);
  }
}

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

// -- full pools and full flows ------------------------------------------------

TEST_CASE("a flow at its limit of waiting tasks refuses tasks, and other flows "
          "accept tasks") {
  seated_world w{{}, with_limit(2)};
  w.seat();
  for (auto i = 0; i < 3; ++i)
    w.submit_of(1);
  CHECK(w.submit_of(1) == "end 3: refused, the queue of the flow is full");
  CHECK(w.submit_of(2) == "");
  CHECK(w.finish(0) == "end 0: completed; send 4 to 0");
  CHECK(w.finish(4) == "end 4: completed; send 1 to 0");
  CHECK(w.submit_of(1) == "");
}

TEST_CASE("a flow or a pool at its limit of waiting tasks accepts a task that "
          "can start at once, with one seat or several") {
  for (auto by_flow : {true, false}) {
    auto reason = by_flow ? std::string{": refused, the queue of the flow is "
                                        "full"}
                          : std::string{": refused, the queue is full"};
    seated_world w{by_flow ? limits{} : limits{1},
                   by_flow ? with_limit(1) : fair_queuing_options{}};
    w.does("seat 2, seat 2");
    auto& there = w.only_on({0});
    w.submit_wide(2, &there);
    CHECK(w.submit_to(there) == "");
    CHECK(w.submit_wide(3) == "end 2" + reason);
    CHECK(w.submit_to(there) == "end 3" + reason);
    CHECK(w.submit_wide(2) == "send 4 to 1");
    CHECK(w.submit() == "end 5" + reason);
  }
}

TEST_CASE(
  "a full pool drops its oldest task, and a full flow refuses the new task") {
  seated_world w{{2, overflow::drop_oldest}, with_limit(2)};
  w.seat();
  w.submit_of(1);
  w.submit_of(1, &w.only_on({0}));
  w.submit_of(2);
  CHECK(w.submit_of(3) == "end 1: cancelled, the queue is full");
  CHECK(w.tasks[1].queue == nullptr);
  CHECK(w.submit_of(2) == "end 2: cancelled, the queue is full");
  CHECK(w.submit_of(2) == "end 3: cancelled, the queue is full");
  CHECK(w.submit_of(2) == "end 6: refused, the queue of the flow is full");
}
