/// Tasks that take seats, because the order uses flows.

#include "libpool/policies/fair_queuing.hpp"
#include "libpool/policies/make_fair_queuing.hpp"
#include "libpool/policies/round_robin.hpp"
#include "support/seated_world.hpp"

#include <doctest/doctest.h>

using libpool::limits;
using test::seated_world;

// -- seats --------------------------------------------------------------------

TEST_CASE(
  "a worker runs as many tasks as it has seats, regardless of its window") {
  seated_world w;
  w.seat(2);
  CHECK(w.submit() == "send 0 to 0");
  CHECK(w.submit() == "send 1 to 0");
  CHECK(w.submit() == "");
  CHECK(w.start(0) == "");
  CHECK(w.finish(0) == "end 0: completed; send 2 to 0");
  CHECK(w.workers[0].seats_taken == 2);
}

TEST_CASE("a task that needs several seats waits until enough seats are free, "
          "and no other task overtakes it") {
  seated_world w;
  w.seat();
  w.seat();
  w.submit_of(1);
  w.start(0);
  CHECK(w.submit_wide(2) == ""); // due when the next task of flow 1 is
  CHECK(w.submit_of(1) == "");   // although a seat is free
  w.now = seated_world::moment(3);
  CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
  CHECK(w.tasks[1].seats == 2);
  CHECK(w.submit() == "");
  CHECK(w.finish(1) == "end 1: completed; send 3 to 0; send 2 to 1");
}

TEST_CASE(
  "a task takes as many seats as its width, but not more than its worker has") {
  seated_world w;
  w.seat(2);
  w.seat(2);
  CHECK(w.submit_wide(3) == "send 0 to 0");
  CHECK(w.workers[0].seats_taken == 2);
  CHECK(w.workers[0].seats_charged == 3);
  CHECK(w.submit() == "send 1 to 1");
  CHECK(w.submit() == "");
  CHECK(w.finish(1) == "end 1: completed; send 2 to 1");
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.workers[0].seats_taken == 0);
  CHECK(w.workers[0].seats_charged == 0);
}

TEST_CASE("a task that needs more seats than the pool has takes all seats of "
          "the pool") {
  seated_world w;
  w.seat(2);
  w.seat();
  w.submit();
  CHECK(w.submit_wide(100) == "");
  CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
  CHECK(w.tasks[1].seats == 3);
  CHECK(w.submit() == "");
  CHECK(w.seat(2) == "send 2 to 2");
}

TEST_CASE("a task goes to another worker if the first choice of the placement "
          "rule has too few free seats") {
  seated_world w;
  w.seat(2);
  w.seat(4);
  CHECK(w.submit() == "send 0 to 0");
  CHECK(w.submit() == "send 1 to 1");
  CHECK(w.submit_wide(2) == "send 2 to 1"); // 0 was chosen less recently
  CHECK(w.submit_wide(2) == "");
  CHECK(w.finish(2) == "end 2: completed; send 3 to 1");
}

TEST_CASE("a task that needs several seats goes to an idle worker even if a "
          "busy worker has more free seats") {
  seated_world w;
  w.seat(1);
  w.seat(2);
  w.seat(5);
  w.submit_to(w.only_on({2}));
  w.submit_to(w.only_on({1}));
  CHECK(w.submit_wide(4) == "send 2 to 0");
  CHECK(w.tasks[2].seats == 4);
}

TEST_CASE("the placement rule chooses among the busy workers that have enough "
          "free seats for a task") {
  seated_world w;
  w.seat(2);
  w.seat(3);
  w.seat(9);
  w.seat(4);
  w.submit();
  w.submit();
  w.submit();
  w.submit();
  CHECK(w.submit_wide(2) == "send 4 to 1"); // 0 has one seat left
  CHECK(w.submit_wide(4) == "send 5 to 2");
}

TEST_CASE("round robin gives tasks in turn to the workers that have enough "
          "free seats for them") {
  libpool::composition how;
  how.order = libpool::make_fair_queuing({});
  how.placement = std::make_unique<libpool::round_robin>();
  seated_world w{std::move(how)};
  for (std::size_t seats : {2U, 4U, 6U})
    w.seat(seats);
  CHECK(w.submit_wide(2) == "send 0 to 0");
  CHECK(w.submit_wide(2) == "send 1 to 1");
  CHECK(w.submit_wide(2) == "send 2 to 2");
  CHECK(w.submit_wide(2) == "send 3 to 1");
  CHECK(w.submit_wide(2) == "send 4 to 2");
}

TEST_CASE("a task goes to a permitted or preferred worker only if the worker "
          "has enough free seats") {
  seated_world w;
  for (std::size_t seats : {2U, 2U, 4U})
    w.seat(seats);
  w.submit_to(w.only_on({0}));
  CHECK(w.submit_wide(2, &w.only_on({0, 1})) == "send 1 to 1");
  CHECK(w.submit_wide(2, &w.best_on({0, 1})) == "send 2 to 2");
  CHECK(w.submit_wide(2, &w.only_on({0, 1})) == "");
  CHECK(w.submit() == ""); // does not overtake
  CHECK(w.finish(0) == "end 0: completed; send 3 to 0; send 4 to 2");
}

// -- workers that are not well ------------------------------------------------

TEST_CASE("a task that needs several seats does not wait for the seats of a "
          "worker that leaves") {
  for (auto retires : {true, false}) {
    CAPTURE(retires);
    seated_world w;
    w.seat();
    w.seat();
    w.submit();
    CHECK(w.submit_wide(2) == "");
    w.start(0);
    CHECK((retires ? w.retire(0) : w.leave(0)) == "send 1 to 1");
    CHECK(w.tasks[1].seats == 1);
    CHECK(w.finish(0) == "end 0: completed; dismiss 0");
    CHECK(w.submit() == "");
    CHECK(w.finish(1) == "end 1: completed; send 2 to 1");
  }
}

TEST_CASE("a task that needs several seats does not wait for the seats of a "
          "worker that hangs") {
  seated_world w;
  w.seat();
  w.seat();
  w.hang(1);
  CHECK(w.submit_wide(2) == "send 1 to 1");
  CHECK(w.tasks[1].seats == 1);
  CHECK(w.finish(0) == "release 0");
  CHECK(w.submit_wide(2) == "");
  CHECK(w.submit() == "");
  CHECK(w.finish(1) == "end 1: completed; send 2 to 0");
  CHECK(w.tasks[2].seats == 2);
}

TEST_CASE("a task that needs several seats does not wait for the seats of a "
          "worker that cools down after a crash") {
  seated_world w;
  w.seat(2);
  w.seat();
  w.submit();
  w.start(0);
  w.now = seated_world::moment(10);
  w.finish(0);
  w.submit_to(w.only_on({1}));
  w.submit_to(w.only_on({0}));
  w.submit_to(w.only_on({0}));
  CHECK(w.submit_wide(2) == "");
  CHECK(w.crash(2) == "end 2: failed, a worker crashed");
  CHECK(w.finish(1) == "end 1: completed; send 4 to 1");
  CHECK(w.tasks[4].seats == 1);
  CHECK(w.at(20) == "");
  CHECK(w.workers[0].seated);
  CHECK(w.submit_wide(2) == "");
  CHECK(w.finish(4) == "end 4: completed; send 5 to 1");
}

TEST_CASE("a task with several seats at a leaving worker does not occupy seats "
          "of other workers") {
  for (auto retires : {true, false}) {
    CAPTURE(retires);
    seated_world w;
    w.seat();
    w.seat();
    w.submit_wide(2);
    w.start(0);
    CHECK(w.submit() == "");
    CHECK((retires ? w.retire(0) : w.leave(0)) == "send 1 to 1");
  }
}

TEST_CASE("a task that needs several seats and hangs does not occupy seats of "
          "other workers") {
  seated_world w;
  w.seat();
  w.seat(2);
  w.submit_to(w.only_on({1}));
  w.hang(2);
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.submit_wide(2) == "send 2 to 1");
  CHECK(w.submit() == "");
  CHECK(w.finish(1) == "release 1; send 3 to 0");
}

TEST_CASE("the seats of a task count again when its worker has cooled down "
          "after a crash") {
  seated_world w;
  w.seat(2);
  w.seat();
  auto& there = w.only_on({0});
  w.submit_wide(1, &there);
  w.start(0);
  w.now = seated_world::moment(10);
  w.finish(0);
  w.submit_wide(1, &there);
  w.submit_wide(1, &there);
  CHECK(w.crash(1) == "end 1: failed, a worker crashed");
  CHECK_FALSE(w.workers[0].seated);
  CHECK(w.workers[0].seats_charged == 1);
  CHECK(w.at(20) == "");
  CHECK(w.submit_wide(3) == "");
  CHECK(w.finish(2) == "end 2: completed; send 3 to 1");
}

TEST_CASE(
  "a task that needs several seats waits for the seats of a paused worker") {
  seated_world w;
  w.seat();
  w.seat();
  w.submit();
  w.pause(0);
  CHECK(w.submit_wide(2) == "");
  CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
  CHECK(w.tasks[1].seats == 2);
}

TEST_CASE(
  "a task that a worker returns, or that is retried, takes its seats again") {
  limits within;
  within.retries = 1;
  seated_world w{within};
  w.seat();
  w.seat(2);
  CHECK(w.submit_wide(2) == "send 0 to 0");
  CHECK(w.come_back(0) == "dismiss 0; send 0 to 1");
  CHECK(w.crash(0) == "send 0 to 1");
  CHECK(w.workers[1].seats_taken == 2);
  CHECK(w.workers[1].seats_charged == 2);
  CHECK(w.finish(0) == "end 0: completed");
}

TEST_CASE(
  "the seats of a task are computed again when the task is sent again") {
  seated_world w;
  w.seat();
  w.submit_wide(3);
  CHECK(w.tasks[0].seats == 1);
  w.dispatches = false;
  w.come_back(0);
  w.seat(2);
  w.seat(2);
  CHECK(w.dispatch() == "send 0 to 1");
  CHECK(w.tasks[0].seats == 3);
}

TEST_CASE("a task that is submitted again counts as a new arrival") {
  seated_world w;
  w.seat();
  w.submit();
  w.finish(0);
  auto arrived = libpool::fair_queuing::arrival_of(w.tasks[0]);
  w.submit();
  w.submit(); // these two tasks advance the virtual time
  w.start(1);
  w.now = seated_world::moment(5);
  w.finish(1);
  w.finish(2);
  CHECK(w.submit(w.tasks[0]) == "send 0 to 0");
  CHECK(arrived < libpool::fair_queuing::arrival_of(w.tasks[0]));
}
