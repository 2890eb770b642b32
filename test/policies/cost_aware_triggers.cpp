/// The moments at which cost-aware stealing looks for tasks, and the results.

#include "support/cost_aware_world.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

using world = test::cost_aware_world;

// -- when ---------------------------------------------------------------------

TEST_CASE("a worker takes over a task as soon as it becomes idle") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  w.give(1, 10);
  w.give(0, 10);
  CHECK(w.finish(1) == "end 1: completed; send 2 to 1");
}

TEST_CASE(
  "an idle worker takes over a task that is assigned to another worker") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  CHECK(w.give(0, 10) == "send 1 to 1");
  CHECK(w.give(0, 10) == "");
}

TEST_CASE(
  "a worker that pauses or rests takes no task until it is available again") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  w.pause(1);
  CHECK(w.give(0, 10) == "");
  CHECK(w.resume(1) == "send 1 to 1");
  w.start(1);
  w.pass(8);
  w.finish(1);
  w.give(1, 10);
  w.start(2);
  w.crash(2); // so it rests for 8, as long as the one before took
  CHECK(w.give(0, 10) == "");
  CHECK(w.at(15) == "");
  CHECK(w.at(16) == "send 3 to 1");
}

TEST_CASE("while a worker is idle, the pool needs a timer event each time that "
          "an estimate is to be doubled") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  CHECK(w.next_tick() == -1); // nothing to take
  w.give(0, 10, 155);
  for (auto ms : {10, 20, 40, 80, 160}) {
    CHECK(w.next_tick() == ms);
    CHECK(w.at(ms - 1) == "");
    CHECK(w.next_tick() == ms);
    CHECK(w.at(ms) == (ms == 160 ? "send 1 to 1" : ""));
  }
  CHECK(w.next_tick() == -1);
}

TEST_CASE("a pool without idle workers needs no timer events, and doubles "
          "exceeded estimates when a worker becomes idle") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  w.give(1, 1000);
  w.give(0, 10, 1000);
  CHECK(w.next_tick() == -1);
  w.pass(50);
  w.finish(1);
  CHECK(w.next_tick() == 80);
}

TEST_CASE("an estimate that was exceeded while no task could be stolen is "
          "doubled as soon as a task can be stolen") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  w.pass(50);
  w.dispatches = false;
  w.give(0, 10, 1000);
  w.dispatches = true;
  w.dispatch();
  CHECK(w.next_tick() == 80);
}

TEST_CASE(
  "the move of a retried task is evaluated at the time of its new assignment") {
  libpool::limits within;
  within.retries = 1;
  world w{libpool::cost_aware_options{}, within};
  w.join_all(2);
  w.give(0, 40);
  CHECK(w.give(0, 10, 25) == "send 1 to 1"); // 25 <= 40 - 5
  w.pass(50);
  // The task goes home again, where 80 - 50 is left: 25 <= 30 - 5.
  CHECK(w.crash(1) == "send 1 to 1");
  CHECK(w.tasks[1].steals == 2);
}

TEST_CASE("the load of a worker contains the full estimate of a task that "
          "started later than the pool had presumed") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  w.give(0, 10, 200);
  w.at(25);
  CHECK(w.next_tick() == 40);
  w.start(0);
  CHECK(w.next_tick() == 35); // and is taken to need 10 again
  w.finish(0);
  CHECK(w.next_tick() == -1);
}

TEST_CASE(
  "a late start of a task may make the move of another task worthwhile") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  w.give(1, 10);
  w.give(0, 10, 4);
  w.pass(5);
  w.finish(1); // with 5 left, moving it for 4 is not worth it
  CHECK(w.tasks[2].on == &w.workers[0]);
  CHECK(w.start(0) == "send 2 to 1");
}

TEST_CASE("a task that crashed its worker, ended or was cancelled is no longer "
          "part of the load of its worker") {
  using way = void (*)(world&);
  const std::vector<way> ways{
    [](world& w) { w.crash(1); },
    [](world& w) { w.finish(1); },
    [](world& w) {
      w.give(0, 30);
      w.cancel(2);
      w.finish(1);
    },
    [](world& w) {
      w.give(0, 30, 7); // is sent when the other one has ended
      w.finish(1);
      w.finish(2);
    },
  };
  for (const auto& goes : ways)
    for (auto move : {58, 59}) {
      CAPTURE(move);
      world w;
      w.join(2);
      w.give(0, 100);
      w.give(0, 100);
      w.start(1);
      w.at(150); // 200 each by now, of which 50 is left
      goes(w);
      w.give(0, 10);
      w.give(0, 4, move);
      auto name = std::to_string(w.tasks.size() - 1);
      // move + 4 <= 50 + 10 + 4 - 4 / 2
      CHECK(w.join() == (move == 58 ? "send " + name + " to 1" : ""));
    }
}

// -- after a steal ------------------------------------------------------------

TEST_CASE(
  "an idle worker steals only one task, even if the worker has room for more") {
  world w;
  w.join();
  for (auto i = 0; i < 5; ++i)
    w.give(0, 10);
  CHECK(w.join(3) == "send 1 to 1");
  CHECK(w.workers[1].in_flight == 1);
}

TEST_CASE(
  "a stolen task is not taken back when its first worker becomes idle") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  w.give(1, 10);
  w.give(0, 10);
  w.finish(1); // 1 has 2 now
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.tasks[2].on == &w.workers[1]);
}

TEST_CASE("a worker that has left the pool has no load, and no tasks are "
          "stolen from this worker") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  w.give(1, 10);
  w.give(0, 10);
  w.leave(0); // 2 goes to 1
  CHECK(w.tasks[2].on == &w.workers[1]);
  CHECK(w.join() == "send 2 to 2");
  w.crash(0);
  CHECK(w.workers[0].booked == nullptr);
}
