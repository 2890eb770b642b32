/// Workers that come and go, hang, pause and cool down after a crash.

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>

using test::dispatcher_world;
using namespace std::chrono_literals;

TEST_CASE("tasks are not recalled from a worker that has terminated, and its "
          "running task is settled once") {
  for (const auto* before : {"pause 0", "retire 0, return 2", "resume 0"}) {
    dispatcher_world w;
    w.does("join 3, submit 3, start 0");
    w.does(before);
    CHECK(w.leave(0) == "");
    CHECK(w.does("return 1, return 2") == "");
    CHECK(w.crash(0) == "end 0: failed, a worker crashed; dismiss 0");
    CHECK(w.does("crash 0, leave 0") == "");
    CHECK(w.join(9) == "send 1 to 1; send 2 to 1");
  }
}

// -- cooling down -------------------------------------------------------------

TEST_CASE("after a crash, a worker cools down until its slowest recent task "
          "would have ended") {
  dispatcher_world w;
  w.does("join 2, submit, start 0, at 10, finish 0, submit 2, start 1, at 12");
  CHECK(w.does("crash 1, submit") == "end 1: failed, a worker crashed");
  CHECK(w.pool.next_tick() == w.moment(20));
  SUBCASE("and pauses do not change that") {
    CHECK(w.does("pause 0, resume 0, pause 0, at 20") == "");
    CHECK(w.resume(0) == "send 3 to 0");
  }
  SUBCASE("and a second crash extends that time") {
    w.does("start 2, at 13, crash 2");
    CHECK(w.pool.next_tick() == w.moment(22));
    CHECK(w.at(21) == "");
    CHECK(w.at(22) == "send 3 to 0");
  }
  SUBCASE("and may leave before") {
    w.does("retire 0, return 2");
    CHECK(w.pool.next_tick() == libpool::never);
  }
}

TEST_CASE("a worker does not cool down if it has left, has completed no task, "
          "or its task ran as long as the slowest recent task") {
  dispatcher_world w;
  SUBCASE("the worker has completed no task") {
    w.does("join, submit, start 0, crash 0");
  }
  SUBCASE("the task ran long") {
    w.does("join, submit, start 0, at 10, finish 0, submit, start 1, at 20");
    w.crash(1);
  }
  SUBCASE("the worker has left") {
    w.does("join, submit, start 0, at 10, finish 0, submit, start 1, leave 0");
    CHECK(w.crash(1) == "end 1: failed, a worker crashed; dismiss 0");
    w.join();
  }
  CHECK(w.pool.next_tick() == libpool::never);
  CHECK(w.submit() != "");
}

TEST_CASE(
  "the maximum recent service time of a worker decreases with faster tasks") {
  dispatcher_world w;
  w.does("join, submit, start 0, at 8, finish 0, submit, start 1, at 9");
  w.finish(1);
  CHECK(w.workers[0].slowest_lately == 7ms);
}
