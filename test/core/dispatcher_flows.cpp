/// Tasks of flows that may run on some workers only, and tasks that find the
/// pool, or their flow, full.

#include "support/seated_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>

using libpool::fair_queuing_options;
using libpool::limits;
using libpool::overflow;
using libpool::too_wide;
using test::seated_world;

namespace {

limits refuses_wide() {
  limits result;
  result.too_wide = too_wide::refuse;
  return result;
}

fair_queuing_options with_limit(std::size_t limit) {
  fair_queuing_options result;
  result.queue_limit = limit;
  return result;
}

} // namespace

// -- restrictions -------------------------------------------------------------

TEST_CASE("a task that only a busy worker may run waits, and is sent when the "
          "worker has a free seat") {
  seated_world w;
  w.seat();
  w.seat();
  auto& there = w.only_on({0});
  w.submit_to(there);
  CHECK(w.submit_to(there) == "");
  CHECK(w.tasks[1].held);
  CHECK(w.submit() == "send 2 to 1");
  CHECK(w.submit() == "");
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
}

TEST_CASE("a task that needs several seats of its only permitted worker waits, "
          "and no other task overtakes it") {
  seated_world w;
  w.seat(2);
  w.seat(2);
  auto& there = w.only_on({0});
  w.submit_to(there);
  CHECK(w.submit_wide(2, &there) == "");
  CHECK_FALSE(w.tasks[1].held);
  CHECK(w.submit() == ""); // although worker 1 has room
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0; send 2 to 1");
}

TEST_CASE("a task that needs several seats goes to a permitted worker that has "
          "enough free seats") {
  seated_world w;
  w.seat(2);
  w.seat(5);
  w.seat(9);
  w.submit_to(w.only_on({0}));
  w.submit_to(w.only_on({1}));
  CHECK(w.submit_wide(3, &w.only_on({0, 1})) == "send 2 to 1");
}

TEST_CASE("a task that needs several seats goes to another worker if its "
          "preferred workers have too few free seats") {
  seated_world w;
  w.seat(2);
  w.seat(5);
  w.seat(9);
  w.submit_to(w.only_on({0}));
  w.submit_to(w.only_on({1}));
  CHECK(w.submit_wide(3, &w.best_on({0, 1})) == "send 2 to 1");
  CHECK(w.submit_wide(3, &w.best_on({0, 1})) == "send 3 to 2");
  CHECK(w.submit_wide(3, &w.best_on({7})) == "send 4 to 2");
}

TEST_CASE(
  "flows take turns on a worker if only this worker may run their tasks") {
  seated_world w;
  w.seat();
  w.seat(); // idle, so that the waiting tasks are set aside
  auto& there = w.only_on({0});
  CHECK(w.submit_of(1, &there) == "send 0 to 0");
  CHECK(w.submit_of(1, &there) == "");
  CHECK(w.submit_of(1, &there) == "");
  CHECK(w.submit_of(2, &there) == "");
  CHECK(w.submit_of(2, &there) == "");
  CHECK(w.held() == 4);
  auto end = [&](std::size_t task) {
    w.start(task);
    w.now += std::chrono::milliseconds{3};
    return w.finish(task);
  };
  CHECK(end(0) == "end 0: completed; send 3 to 0");
  CHECK(w.cancel(1) == "end 1: cancelled, the client has ended");
  CHECK(end(3) == "end 3: completed; send 2 to 0");
  CHECK(end(2) == "end 2: completed; send 4 to 0");
}

TEST_CASE("when a worker has a free seat, only the first waiting task of each "
          "flow becomes a candidate for the worker") {
  for (auto longer : {1, 2}) {
    CAPTURE(longer);
    seated_world w;
    w.seat();
    w.seat();
    auto& there = w.only_on({0});
    w.submit_of(3, &there);
    w.submit_of(1, &there);
    w.submit_of(2, &there);
    for (auto i = 0; i < 4; ++i)
      w.submit_of(longer, &there);
    w.pause(1);
    CHECK(w.held() == 6);
    CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
    CHECK(w.held() == (longer == 1 ? 3 : 4));
    w.start(1);
    w.now += std::chrono::milliseconds{3};
    CHECK(w.finish(1) == "end 1: completed; send 2 to 0");
    CHECK(w.held() == 2);
  }
}

TEST_CASE("if the first task that waits for a worker is cancelled, the worker "
          "gets the next one") {
  seated_world w;
  w.seat();
  w.seat();
  auto& there = w.only_on({0});
  w.submit_to(there);
  w.submit_to(there);
  w.submit_to(there);
  w.dispatches = false;
  CHECK(w.cancel(1) == "end 1: cancelled, the client has ended");
  CHECK(w.tasks[1].queue == nullptr);
  CHECK(w.tasks[2].held);
  w.dispatches = true;
  CHECK(w.finish(0) == "end 0: completed; send 2 to 0");
  CHECK(w.finish(2) == "end 2: completed");
  CHECK(w.pool.flows(9).front().waiting == 0);
}

// -- tasks that are accepted --------------------------------------------------

TEST_CASE("a task that needs more seats than the pool has is refused if the "
          "limits demand this") {
  seated_world w{refuses_wide()};
  w.seat();
  w.seat(2);
  CHECK(w.submit_wide(4)
        == "end 0: refused, the task takes more seats than the pool has");
  CHECK(w.submit_wide(3) == "send 1 to 0");
  w.retire(0);
  CHECK(w.submit_wide(3)
        == "end 2: refused, the task takes more seats than the pool has");
  CHECK(w.pool.flows(9).front().refused == 2);
}

TEST_CASE("a task is not refused for needing too many seats while the pool has "
          "no workers") {
  seated_world w{refuses_wide()};
  CHECK(w.submit_wide(4) == "");
  CHECK(w.seat(2) == "send 0 to 0");
  CHECK(w.tasks[0].seats == 2);
}

TEST_CASE(
  "a task is not refused for needing too many seats because a worker hangs") {
  seated_world w{refuses_wide()};
  w.seat();
  w.seat();
  w.hang(1);
  CHECK(w.submit_wide(2) == "send 1 to 1"); // takes all seats that count
  CHECK(w.submit_wide(3)
        == "end 2: refused, the task takes more seats than the pool has");
}

TEST_CASE("fair queuing charges a task for all its seats even if the workers "
          "join after its submission") {
  seated_world w;
  w.dispatches = false;
  w.tasks.emplace_back().flow = "narrow";
  w.submit(w.tasks.back());
  w.tasks.emplace_back().flow = "wide";
  w.tasks.back().width = 3;
  w.submit(w.tasks.back());
  w.tasks.emplace_back().flow = "late";
  w.submit(w.tasks.back());
  for (auto i = 0; i < 3; ++i)
    w.seat();
  CHECK(w.dispatch() == "send 0 to 0; send 2 to 1");
}

TEST_CASE("a flow at its limit of waiting tasks refuses tasks, and other flows "
          "accept tasks") {
  seated_world w{{}, with_limit(2)};
  w.seat();
  w.submit_of(1);
  w.submit_of(1);
  CHECK(w.submit_of(1) == "");
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
  CHECK(w.submit_of(1) == "");
  CHECK(w.submit_of(1) == "send 0 to 0");
  CHECK(w.submit_of(1) == "end 2: refused, the queue of the flow is full");
}

TEST_CASE("a flow at its limit of waiting tasks accepts a task that can start "
          "at once") {
  seated_world w{{}, with_limit(1)};
  w.seat();
  w.seat(2);
  auto& there = w.only_on({0});
  w.submit_to(there);
  CHECK(w.submit_to(there) == "");
  w.submit_to(w.only_on({1}));
  CHECK(w.submit_wide(2) == "end 3: refused, the queue of the flow is full");
  CHECK(w.submit_to(there) == "end 4: refused, the queue of the flow is full");
  CHECK(w.submit() == "send 5 to 1");
}

TEST_CASE("a pool at its capacity accepts a task that can start at once, with "
          "one seat or several") {
  seated_world w{{1, overflow::refuse}};
  w.seat(2);
  w.seat(2);
  auto& there = w.only_on({0});
  w.submit_wide(2, &there);
  CHECK(w.submit_to(there) == "");
  CHECK(w.submit_wide(3) == "end 2: refused, the queue is full");
  CHECK(w.submit_wide(2) == "send 3 to 1");
  CHECK(w.submit() == "end 4: refused, the queue is full");
}

TEST_CASE(
  "a full pool drops its oldest task, and a full flow refuses the new task") {
  seated_world w{{2, overflow::drop_oldest}, with_limit(2)};
  w.seat();
  w.submit_of(1);
  w.submit_of(1);
  w.submit_of(2);
  CHECK(w.submit_of(3) == "end 1: cancelled, the queue is full");
  CHECK(w.tasks[1].queue == nullptr);
  CHECK(w.submit_of(2) == "end 2: cancelled, the queue is full");
  CHECK(w.submit_of(2) == "end 3: cancelled, the queue is full");
  CHECK(w.submit_of(2) == "end 6: refused, the queue of the flow is full");
}

TEST_CASE("a full pool drops the oldest task of a flow even if the task waits "
          "for its permitted worker") {
  seated_world w{{1, overflow::drop_oldest}};
  w.seat();
  auto& there = w.only_on({0});
  w.submit_to(there);
  w.submit_to(there);
  CHECK(w.submit() == "end 1: cancelled, the queue is full");
  CHECK(w.finish(0) == "end 0: completed; send 2 to 0");
}

TEST_CASE("a task past its deadline is cancelled instead of being sent") {
  seated_world w{{}, with_limit(1)};
  w.seat();
  w.submit();
  CHECK(w.submit_due(5) == "");
  w.now = seated_world::moment(5);
  CHECK(w.finish(0)
        == "end 0: completed; end 1: cancelled, the deadline has passed");
  w.submit();
  CHECK(w.submit_due(8) == "");
  w.now = seated_world::moment(8);
  w.dispatches = false;
  CHECK(w.submit() == "end 3: cancelled, the deadline has passed");
  CHECK(w.tasks[3].queue == nullptr);
  CHECK(w.pool.books().waiting == 1);
}

TEST_CASE("waiting tasks that are restricted or need several seats fail when "
          "no further worker will join") {
  seated_world w;
  w.seat(2);
  auto& there = w.only_on({3});
  w.submit();
  w.submit_to(there);
  CHECK(w.submit_wide(2) == "");
  CHECK(w.abandon()
        == "end 1: failed, the pool has no workers; end 2: failed, the pool "
           "has no workers");
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.tasks[1].queue == nullptr);
}
