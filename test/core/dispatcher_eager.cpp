#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

using libpool::overflow;
using test::dispatcher_world;
using test::eager_world;

namespace {

/// Worker 0 needs 10 ms for a task, then begins another one.
void warm_up(dispatcher_world& w) {
  w.join();
  w.submit();
  w.start(0);
  w.at(10);
  w.finish(0);
  w.submit();
  w.start(1);
}

} // namespace

// -- assignment on acceptance -------------------------------------------------

TEST_CASE(
  "eager assignment gives each task to the worker with the fewest tasks") {
  eager_world w;
  w.join();
  w.join();
  CHECK(w.submit() == "send 0 to 0");
  CHECK(w.submit() == "send 1 to 1");
  CHECK(w.submit() == "");
  CHECK(w.submit() == "");
  CHECK(w.pool.books().assigned == 2);
  CHECK(w.finish(1) == "end 1: completed; send 3 to 1");
  CHECK(w.finish(0) == "end 0: completed; send 2 to 0");
  CHECK(w.pool.books().assigned == 0);
}

TEST_CASE("with eager assignment, a task has a worker as soon as it is "
          "accepted, before any dispatch") {
  eager_world w;
  w.dispatches = false;
  w.join();
  w.submit();
  CHECK(w.pool.books().assigned == 1);
  CHECK(w.pool.books().waiting == 0);
  CHECK(w.dispatch() == "send 0 to 0");
}

TEST_CASE("cancelled tasks are not included in the number of tasks assigned to "
          "a worker") {
  eager_world w;
  w.join();
  w.join();
  for (auto i = 0; i < 6; ++i)
    w.submit();
  w.cancel(3);
  w.cancel(5);
  w.submit();
  CHECK(w.workers[1].in_flight == 2);
}

TEST_CASE("tasks that are assigned to a worker but not sent count against the "
          "capacity of the pool") {
  eager_world w{{2}};
  w.join();
  w.submit();
  w.submit();
  w.submit();
  CHECK(w.submit() == "end 3: refused, the queue is full");
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
  CHECK(w.submit() == "");
}

TEST_CASE(
  "an eager pool with capacity 0 accepts a task only for an idle worker") {
  eager_world w{{0}};
  w.join();
  CHECK(w.submit() == "send 0 to 0");
  CHECK(w.submit() == "end 1: refused, the queue is full");
  w.finish(0);
  w.dispatches = false;
  CHECK(w.submit() == "");
  CHECK(w.submit() == "send 2 to 0; end 3: refused, the queue is full");
}

TEST_CASE("a full pool drops the oldest unsent task even if the task is "
          "assigned to a worker") {
  eager_world w{{1, overflow::drop_oldest}};
  w.join();
  w.submit();
  w.submit();
  CHECK(w.submit() == "end 1: cancelled, the queue is full");
  CHECK(w.workers[0].in_flight == 2);
  CHECK(w.finish(0) == "end 0: completed; send 2 to 0");
}

TEST_CASE(
  "a task stays assigned to its worker when a recalled task ends there") {
  eager_world w;
  w.join();
  w.join();
  w.submit_due(20);
  w.submit();
  w.submit();
  CHECK(w.at(20) == "recall 0 from 0");
  w.dispatches = false;
  CHECK(w.finish(0) == "end 0: cancelled, the deadline has passed");
  CHECK(w.pool.books().assigned == 1);
  CHECK(w.pool.books().waiting == 0);
  CHECK(w.dispatch() == "send 2 to 0");
}

TEST_CASE(
  "an assigned task is cancelled at once by its client or its deadline") {
  eager_world w;
  w.join();
  w.submit();
  w.submit();
  w.submit_due(20);
  CHECK(w.cancel(1) == "end 1: cancelled, the client has ended");
  CHECK(w.at(20) == "end 2: cancelled, the deadline has passed");
  CHECK(w.workers[0].in_flight == 1);
  CHECK(w.finish(0) == "end 0: completed");
}

TEST_CASE("urgent tasks are sent first among the tasks assigned to a worker") {
  eager_world w;
  w.join();
  w.submit();
  w.submit();
  w.submit_urgent();
  CHECK(w.finish(0) == "end 0: completed; send 2 to 0");
}

TEST_CASE("tasks assigned to a leaving worker are assigned to other workers, "
          "the oldest first") {
  for (auto dies : {false, true}) {
    eager_world w;
    w.join();
    for (auto i = 0; i < 4; ++i)
      w.submit();
    w.start(0);
    w.join(2);
    CHECK((dies ? w.leave(0) : w.retire(0)) == "send 1 to 1; send 2 to 1");
    CHECK(w.pool.books().assigned == 1);
    CHECK(w.finish(1) == "end 1: completed; send 3 to 1");
    CHECK(w.finish(0) == "end 0: completed; dismiss 0");
  }
}

TEST_CASE("tasks wait until the first worker joins, and are then assigned to "
          "that worker") {
  eager_world w;
  w.submit();
  w.submit();
  CHECK(w.pool.books().waiting == 2);
  CHECK(w.join() == "send 0 to 0");
  CHECK(w.pool.books().assigned == 1);
}

TEST_CASE("a worker that cools down after a crash keeps the tasks that are "
          "assigned to it") {
  eager_world w;
  warm_up(w);
  w.submit();
  CHECK(w.crash(1) == "end 1: failed, a worker crashed");
  CHECK(w.pool.books().assigned == 1);
  CHECK(w.at(20) == "send 2 to 0");
}

TEST_CASE("a task assigned to a worker is settled when the worker leaves and "
          "no further worker will join") {
  eager_world w;
  w.join();
  w.submit();
  w.submit();
  w.abandon();
  w.leave(0);
  w.come_back(0);
  CHECK(w.pool.books().open() == 0);
}

TEST_CASE("tasks assigned to a worker that hangs go to another worker") {
  eager_world w;
  w.join();
  w.submit_due(20);
  w.submit();
  w.submit();
  w.start(0);
  CHECK(w.join() == "");
  CHECK(w.at(20)
        == "settle 0: cancelled, the deadline has passed; send 1 to 1");
  CHECK(w.pool.books().assigned == 1);
  CHECK(w.finish(1) == "end 1: completed; send 2 to 1");
}

TEST_CASE("tasks wait while every worker hangs") {
  eager_world w;
  w.join();
  w.submit_due(20);
  w.submit();
  w.start(0);
  CHECK(w.at(20) == "settle 0: cancelled, the deadline has passed");
  w.submit();
  CHECK(w.pool.books().waiting == 2);
  CHECK(w.finish(0) == "release 0; send 1 to 0");
  CHECK(w.pool.books().assigned == 1);
}

// -- stealing -----------------------------------------------------------------

TEST_CASE(
  "an idle worker takes over tasks that are assigned to another worker") {
  eager_world w{{}, true};
  w.join();
  w.submit();
  w.submit();
  w.submit();
  CHECK(w.join() == "send 1 to 1");
  CHECK(w.workers[0].in_flight == 2);
  CHECK(w.finish(1) == "end 1: completed; send 2 to 1");
  CHECK(w.workers[0].in_flight == 1);
  CHECK(w.finish(2) == "end 2: completed");
  CHECK(w.pool.books().assigned == 0);
}

TEST_CASE("each of several idle workers steals one task that is assigned to "
          "another worker") {
  eager_world w{{}, true};
  w.dispatches = false;
  w.join();
  for (auto i = 0; i < 4; ++i)
    w.submit();
  w.dispatch();
  w.join();
  w.join(2);
  CHECK(w.dispatch() == "send 1 to 1; send 2 to 2");
  CHECK(w.pool.books().assigned == 1);
}

TEST_CASE("a worker that cools down after a crash steals no task until the "
          "cool-down has ended") {
  eager_world w{{}, true};
  warm_up(w);
  w.crash(1);
  w.join();
  w.submit();
  w.submit();
  CHECK(w.pool.books().assigned == 1);
  CHECK(w.at(20) == "send 3 to 0");
}
