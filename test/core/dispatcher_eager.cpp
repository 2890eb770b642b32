/// Tasks that get a worker when they are accepted.

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

using libpool::overflow;
using test::eager_world;

TEST_CASE("eager assignment gives each task to the worker with the fewest "
          "tasks, before any dispatch") {
  eager_world w;
  w.dispatches = false;
  w.does("join, join, submit 4");
  CHECK(w.pool.books().assigned == 4);
  CHECK(w.dispatch() == "send 0 to 0; send 1 to 1");
  CHECK(w.pool.books().assigned == 2);
  CHECK_FALSE(w.pool.is_busy_or_pauses());
  w.dispatches = true;
  CHECK(w.finish(1) == "end 1: completed; send 3 to 1");
  CHECK(w.finish(0) == "end 0: completed; send 2 to 0");
  CHECK(w.pool.books().assigned == 0);
}

TEST_CASE("tasks that are assigned to a worker but not sent count against the "
          "capacity, and are cancelled at once") {
  eager_world w{{2, overflow::drop_oldest}};
  w.does("join, submit 2, due 20");
  CHECK(w.submit() == "end 1: cancelled, the queue is full");
  CHECK(w.at(20) == "end 2: cancelled, the deadline has passed");
  CHECK(w.cancel(3) == "end 3: cancelled, the client has ended");
  CHECK(w.workers[0].in_flight == 1);
  CHECK(w.does("submit, urgent, finish 0") == "end 0: completed; send 5 to 0");
}

TEST_CASE("a task stays assigned to a worker that pauses or cools down after a "
          "crash") {
  eager_world w;
  w.does("join, submit, start 0, at 10, finish 0, submit, start 1, submit");
  SUBCASE("a worker that pauses") {
    CHECK(w.does("pause 0, finish 1") == "end 1: completed");
    CHECK(w.pool.books().assigned == 1);
    CHECK(w.resume(0) == "send 2 to 0");
  }
  SUBCASE("a worker that cools down") {
    CHECK(w.crash(1) == "end 1: failed, a worker crashed");
    CHECK(w.pool.books().assigned == 1);
    CHECK(w.at(20) == "send 2 to 0");
  }
}

// -- homes --------------------------------------------------------------------

TEST_CASE("a task is assigned to its home worker even if other workers have "
          "fewer tasks, and to another worker if the home has not joined") {
  eager_world w;
  w.does("join, join, pause 1");
  for (auto i = 0; i < 3; ++i)
    w.submit_home(1);
  CHECK(w.workers[1].in_flight == 3);
  CHECK(w.submit_home(7) == "send 3 to 0");
  CHECK(w.pool.record().lost_homes == 1);
  CHECK(w.resume(1) == "send 0 to 1");
}

TEST_CASE("lazy assignment ignores the home worker of a task") {
  test::dispatcher_world w;
  w.does("join, join 2");
  CHECK(w.submit_home(1) == "send 0 to 0");
}
