/// Tasks that take seats and have flows, because the order goes by flows.

#include "libpool/policies/fair_queuing.hpp"
#include "libpool/policies/make_fair_queuing.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
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

  /// How many of the tasks wait for particular workers, not to be chosen.
  auto held() const {
    return std::count_if(tasks.begin(), tasks.end(),
                         [](const libpool::task& task) { return task.held; });
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

TEST_CASE(
  "a worker runs as many tasks as it has seats, regardless of its window") {
  seated_world w;
  CHECK(w.does("seat 2, submit 3") == "send 0 to 0; send 1 to 0");
  CHECK(w.does("start 0, finish 0") == "end 0: completed; send 2 to 0");
  CHECK(w.workers[0].seats_taken == 2);
}

TEST_CASE("a task that needs several seats waits until enough seats are free, "
          "and no other task overtakes it") {
  seated_world w;
  w.does("seat, seat");
  w.submit_of(1);
  w.start(0);
  CHECK(w.submit_wide(2) == ""); // due when the next task of flow 1 is
  CHECK(w.submit_of(1) == "");   // although a seat is free
  w.now = w.moment(3);
  CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
  CHECK(w.tasks[1].seats == 2);
  CHECK(w.submit() == "");
  CHECK(w.finish(1) == "end 1: completed; send 3 to 0; send 2 to 1");
}

TEST_CASE("a task takes as many seats as its width, but not more than its "
          "worker and the pool have") {
  seated_world w;
  w.does("seat 2, seat");
  CHECK(w.submit_wide(100) == "send 0 to 0");
  CHECK(w.tasks[0].seats == 3);
  CHECK(w.workers[0].seats_taken == 2);
  CHECK(w.workers[0].seats_charged == 3);
  CHECK(w.submit() == "");
  CHECK(w.seat(2) == "send 1 to 1");
  CHECK(w.submit_wide(2) == "");
  CHECK(w.finish(0) == "end 0: completed; send 2 to 2");
  CHECK(w.workers[0].seats_taken == 0);
  CHECK(w.workers[0].seats_charged == 0);
}

TEST_CASE("a task goes to a worker that has enough free seats for it, or is "
          "idle, even if the first choice of the placement rule is another") {
  seated_world w;
  w.does("seat 2, seat 4, submit 2");
  CHECK(w.submit_wide(2) == "send 2 to 1"); // 0 was chosen less recently
  CHECK(w.submit_wide(2) == "");
  CHECK(w.seat() == "send 3 to 2");
  CHECK(w.tasks[3].seats == 2);
}

TEST_CASE("a task goes to a permitted or preferred worker only if the worker "
          "has enough free seats") {
  seated_world w;
  w.does("seat 2, seat 2, seat 4");
  w.submit_to(w.only_on({0}));
  CHECK(w.submit_wide(2, &w.only_on({0, 1})) == "send 1 to 1");
  CHECK(w.submit_wide(2, &w.best_on({0, 1})) == "send 2 to 2");
  CHECK(w.submit_wide(2, &w.only_on({0, 1})) == "");
  CHECK_FALSE(w.tasks[3].held);
  CHECK(w.submit() == ""); // does not overtake
  CHECK(w.finish(0) == "end 0: completed; send 3 to 0; send 4 to 2");
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
    CHECK(w.tasks[1].seats == 1);
  }
}

TEST_CASE("the seats of a worker that cools down after a crash, and of its "
          "tasks, do not count until it has cooled down") {
  seated_world w;
  w.does("seat 2, seat");
  auto& there = w.only_on({0});
  w.submit_to(there);
  w.does("start 0, at 10, finish 0");
  w.submit_to(there);
  w.submit_to(there);
  CHECK(w.crash(1) == "end 1: failed, a worker crashed");
  CHECK_FALSE(w.workers[0].seated);
  CHECK(w.workers[0].seats_charged == 1);
  CHECK(w.submit_wide(2) == "send 3 to 1");
  CHECK(w.tasks[3].seats == 1);
  CHECK(w.at(20) == "");
  CHECK(w.submit_wide(3) == "");
  CHECK(w.does("finish 2, finish 3")
        == "end 2: completed; end 3: completed; send 4 to 0");
}

TEST_CASE("a task takes its seats again, computed anew, when its worker "
          "returns it or it is retried") {
  limits within;
  within.retries = 1;
  seated_world w{within};
  w.seat();
  CHECK(w.submit_wide(3) == "send 0 to 0");
  CHECK(w.tasks[0].seats == 1);
  w.dispatches = false;
  w.does("return 0, seat 2, seat 2");
  w.dispatches = true;
  CHECK(w.dispatch() == "send 0 to 1");
  CHECK(w.crash(0) == "send 0 to 2");
  CHECK(w.workers[2].seats_taken == 2);
  CHECK(w.workers[2].seats_charged == 3);
  CHECK(w.workers[1].seats_charged == 0);
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
  CHECK(w.tasks[0].seats == 5);
}

TEST_CASE("a task that is submitted again counts as a new arrival") {
  seated_world w;
  w.does("seat, submit, finish 0");
  auto arrived = libpool::fair_queuing::arrival_of(w.tasks[0]);
  w.does("submit 2, start 1"); // these two tasks advance the virtual time
  w.now = w.moment(5);
  w.does("finish 1, finish 2");
  CHECK(w.submit(w.tasks[0]) == "send 0 to 0");
  CHECK(arrived < libpool::fair_queuing::arrival_of(w.tasks[0]));
}

// -- flows of restricted tasks ------------------------------------------------

TEST_CASE("flows take turns on a worker if only this worker may run their "
          "tasks, and the first waiting task of each flow is a candidate") {
  seated_world w;
  w.does("seat, seat"); // the second is idle, so that tasks are set aside
  auto& there = w.only_on({0});
  CHECK(w.submit_of(1, &there) == "send 0 to 0");
  for (auto flow : {1, 1, 2, 2})
    CHECK(w.submit_of(flow, &there) == "");
  CHECK(w.held() == 4);
  CHECK(w.submit() == "send 5 to 1");
  auto end = [&](std::size_t task) {
    w.start(task);
    w.now += std::chrono::milliseconds{3};
    return w.finish(task);
  };
  CHECK(end(0) == "end 0: completed; send 3 to 0");
  CHECK(w.held() == 1); // each flow has one task to choose
  CHECK(w.cancel(1) == "end 1: cancelled, the client has ended");
  CHECK(w.tasks[1].queue == nullptr);
  CHECK(end(3) == "end 3: completed; send 2 to 0");
  CHECK(end(2) == "end 2: completed; send 4 to 0");
}

TEST_CASE("waiting tasks that are restricted or need several seats fail when "
          "no further worker will join") {
  seated_world w;
  w.does("seat 2, submit");
  w.submit_to(w.only_on({3}));
  CHECK(w.submit_wide(2) == "");
  CHECK(w.abandon()
        == "end 1: failed, the pool has no workers; end 2: failed, the pool "
           "has no workers");
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.tasks[1].queue == nullptr);
}

TEST_CASE("fair queuing charges a task for all its seats even if the workers "
          "join after its submission") {
  seated_world w;
  w.dispatches = false;
  w.submit_of("narrow");
  w.add().flow = "wide";
  w.tasks.back().width = 3;
  w.submit(w.tasks.back());
  w.submit_of("late");
  w.does("seat, seat, seat");
  CHECK(w.dispatch() == "send 0 to 0; send 2 to 1");
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

TEST_CASE(
  "before a full flow refuses a task, the dispatcher sends waiting tasks") {
  seated_world w{{}, with_limit(1)};
  w.dispatches = false;
  w.seat();
  CHECK(w.does("submit 2") == "send 0 to 0");
  CHECK(w.submit() == "end 2: refused, the queue of the flow is full");
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

TEST_CASE("a task past its deadline is cancelled instead of being sent") {
  seated_world w{{}, with_limit(1)};
  w.does("seat, submit, due 5");
  w.now = w.moment(5);
  CHECK(w.finish(0)
        == "end 0: completed; end 1: cancelled, the deadline has passed");
  w.does("submit, due 8");
  w.now = w.moment(8);
  w.dispatches = false;
  CHECK(w.submit() == "end 3: cancelled, the deadline has passed");
  CHECK(w.tasks[3].queue == nullptr);
  CHECK(w.pool.books().waiting == 1);
}
