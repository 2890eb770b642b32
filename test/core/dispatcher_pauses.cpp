/// Workers that pause so that other workers can run, and whether a pool is
/// busy.

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

using test::dispatcher_world;
using test::eager_world;

// -- pausing ------------------------------------------------------------------

TEST_CASE("a paused worker gets no task until it is resumed") {
  dispatcher_world w;
  w.join();
  CHECK(w.pause(0) == "");
  CHECK(w.submit() == "");
  CHECK(w.submit() == "");
  CHECK(w.pool.books().waiting == 2);
  CHECK(w.resume(0) == "send 0 to 0");
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
}

TEST_CASE("a paused worker keeps its tasks, and completes them") {
  dispatcher_world w;
  w.join(3);
  w.submit();
  w.submit();
  w.start(0);
  CHECK(w.pause(0) == "");
  CHECK(w.submit() == "");
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.start(1) == "");
  CHECK(w.finish(1) == "end 1: completed");
  CHECK(w.resume(0) == "send 2 to 0");
}

TEST_CASE("other workers continue while one worker is paused") {
  dispatcher_world w;
  w.join();
  w.join();
  w.submit();
  w.submit();
  w.pause(0);
  w.submit();
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.finish(1) == "end 1: completed; send 2 to 1");
  CHECK(w.submit() == "");
  CHECK(w.resume(0) == "send 3 to 0");
}

TEST_CASE("pausing a worker twice is the same as pausing it once") {
  dispatcher_world w;
  w.join();
  w.pause(0);
  CHECK(w.pause(0) == "");
  w.submit();
  CHECK(w.resume(0) == "send 0 to 0");
  CHECK(w.resume(0) == "");
  w.submit();
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
}

TEST_CASE("resuming a worker that is not paused changes nothing") {
  dispatcher_world w;
  w.join();
  CHECK(w.resume(0) == "");
  CHECK(w.submit() == "send 0 to 0");
}

TEST_CASE("resuming a worker does not end its cool-down after a crash, and the "
          "end of the cool-down does not resume it") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.start(0);
  w.at(10);
  w.finish(0);
  w.submit();
  w.start(1);
  w.crash(1);
  w.pause(0);
  w.submit();
  CHECK(w.resume(0) == "");
  w.pause(0);
  CHECK(w.at(20) == "");
  CHECK(w.resume(0) == "send 2 to 0");
}

TEST_CASE("a worker that is paused and hangs gets tasks again when it is "
          "resumed and no longer hangs") {
  dispatcher_world w;
  w.join();
  w.submit_due(20);
  w.start(0);
  w.pause(0);
  w.at(20);
  w.submit();
  CHECK(w.resume(0) == "");
  w.pause(0);
  CHECK(w.finish(0) == "release 0");
  CHECK(w.resume(0) == "send 1 to 0");
}

// -- pausing and leaving ------------------------------------------------------

TEST_CASE("an idle worker may terminate while it is paused") {
  dispatcher_world w;
  w.join();
  w.pause(0);
  CHECK(w.leave(0) == "dismiss 0");
  CHECK(w.submit() == "");
  CHECK(w.resume(0) == "");
  CHECK(w.pause(0) == "");
  CHECK(w.leave(0) == "");
  CHECK(w.join() == "send 0 to 1");
}

TEST_CASE("a worker with tasks may terminate while it is paused") {
  dispatcher_world w;
  w.join(2);
  w.submit();
  w.submit();
  w.start(0);
  w.pause(0);
  CHECK(w.leave(0) == "");
  CHECK(w.resume(0) == "");
  CHECK(w.submit() == "");
  CHECK(w.come_back(1) == "");
  CHECK(w.crash(0) == "end 0: failed, a worker crashed; dismiss 0");
  CHECK(w.join(2) == "send 1 to 1; send 2 to 1");
}

TEST_CASE("a worker may be retired while it is paused") {
  dispatcher_world w;
  w.join(2);
  w.submit();
  w.submit();
  w.start(0);
  w.pause(0);
  CHECK(w.retire(0) == "recall 1 from 0");
  CHECK(w.resume(0) == "");
  CHECK(w.come_back(1) == "");
  CHECK(w.finish(0) == "end 0: completed; dismiss 0");
  CHECK(w.resume(0) == "");
  CHECK(w.pool.books().waiting == 1);
}

TEST_CASE("a worker that was dismissed while it was paused gets tasks when it "
          "joins again") {
  dispatcher_world w;
  w.join();
  w.pause(0);
  w.leave(0);
  w.pause(0);
  w.submit();
  w.pool.joined(w.workers[0], w.now);
  CHECK(w.decided() == "send 0 to 0");
}

// -- pausing with eager assignment --------------------------------------------

TEST_CASE(
  "a paused worker is sent no tasks, but tasks are still assigned to it") {
  eager_world w;
  w.join();
  w.join();
  for (auto i = 0; i < 4; ++i)
    w.submit();
  CHECK(w.pause(0) == "");
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.workers[0].deque.size() == 1);
  w.submit();
  CHECK(w.submit() == "");
  CHECK(w.workers[0].in_flight == 2);
  CHECK(w.workers[1].in_flight == 3);
  CHECK(w.resume(0) == "send 2 to 0");
  CHECK(w.finish(1) == "end 1: completed; send 3 to 1");
}

TEST_CASE("a task is assigned even if every worker is paused") {
  eager_world w;
  w.join();
  w.submit();
  w.pause(0);
  CHECK(w.submit() == "");
  CHECK(w.pool.books().waiting == 0);
  CHECK(w.pool.books().assigned == 1);
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.resume(0) == "send 1 to 0");
}

TEST_CASE("a task assigned to a paused worker goes to another worker if the "
          "paused worker leaves") {
  eager_world w;
  w.join();
  w.submit();
  w.submit();
  w.start(0);
  w.pause(0);
  CHECK(w.retire(0) == "");
  CHECK(w.join() == "send 1 to 1");
  CHECK(w.finish(0) == "end 0: completed; dismiss 0");
}

TEST_CASE("a task assigned to a paused worker may be stolen") {
  eager_world w{{}, true};
  w.join();
  w.submit();
  w.submit();
  w.pause(0);
  CHECK(w.join() == "send 1 to 1");
}

TEST_CASE("a paused worker steals no tasks") {
  eager_world w{{}, true};
  w.join();
  w.join();
  w.submit();
  w.submit();
  w.submit();
  w.pause(1);
  CHECK(w.finish(1) == "end 1: completed");
  CHECK(w.pool.books().assigned == 1);
  CHECK(w.resume(1) == "send 2 to 1");
}

// -- being busy ---------------------------------------------------------------

TEST_CASE("a pool without workers or without tasks is not busy") {
  dispatcher_world w;
  CHECK_FALSE(w.pool.is_busy());
  w.submit();
  CHECK_FALSE(w.pool.is_busy());
  w.cancel(0);
  w.join();
  CHECK_FALSE(w.pool.is_busy());
  w.pause(0);
  CHECK_FALSE(w.pool.is_busy());
}

TEST_CASE("a pool is busy while its only worker has a task, even before the "
          "task starts") {
  dispatcher_world w;
  w.join();
  w.submit();
  CHECK(w.pool.is_busy());
  w.start(0);
  CHECK(w.pool.is_busy());
  w.finish(0);
  CHECK_FALSE(w.pool.is_busy());
}

TEST_CASE("a pool is busy while no worker has room") {
  dispatcher_world w;
  w.join();
  w.join(2);
  w.submit();
  w.submit();
  CHECK_FALSE(w.pool.is_busy());
  w.submit();
  CHECK(w.pool.is_busy());
  w.start(0);
  CHECK(w.pool.is_busy());
  w.finish(0);
  CHECK_FALSE(w.pool.is_busy());
  w.submit();
  w.pause(1);
  w.finish(1);
  CHECK(w.pool.is_busy());
  w.resume(1);
  CHECK_FALSE(w.pool.is_busy());
}

TEST_CASE("a pool with waiting tasks is not busy while a worker has room") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.dispatches = false;
  w.submit();
  w.finish(0);
  CHECK_FALSE(w.pool.is_busy());
}

TEST_CASE("a pool is not busy if its only worker hangs and has returned its "
          "other tasks") {
  dispatcher_world w;
  w.join(2);
  w.submit_due(20);
  w.submit();
  w.start(0);
  CHECK(w.pool.is_busy());
  w.at(20);
  CHECK(w.pool.is_busy());
  w.come_back(1);
  CHECK(w.pool.books().waiting == 1);
  CHECK_FALSE(w.pool.is_busy());
}

TEST_CASE("a pool whose workers are all paused is not busy, but "
          "is_busy_or_pauses is true") {
  dispatcher_world w;
  w.join();
  w.join();
  CHECK_FALSE(w.pool.is_busy_or_pauses());
  w.pause(0);
  CHECK_FALSE(w.pool.is_busy_or_pauses());
  w.pause(1);
  w.pause(1);
  CHECK_FALSE(w.pool.is_busy());
  CHECK(w.pool.is_busy_or_pauses());
  w.resume(0);
  w.resume(0);
  CHECK_FALSE(w.pool.is_busy_or_pauses());
  w.submit();
  CHECK(w.pool.is_busy());
  CHECK(w.pool.is_busy_or_pauses());
}

TEST_CASE(
  "is_busy_or_pauses ignores a paused worker that leaves or terminates") {
  dispatcher_world w;
  w.join();
  w.join();
  w.pause(0);
  w.pause(1);
  w.retire(0);
  CHECK(w.pool.is_busy_or_pauses());
  w.leave(1);
  CHECK_FALSE(w.pool.is_busy_or_pauses());
  w.pause(1);
  CHECK_FALSE(w.pool.is_busy_or_pauses());
  w.join();
  w.pause(2);
  CHECK(w.pool.is_busy_or_pauses());
}

TEST_CASE("a pool with eager assignment is never busy") {
  eager_world w;
  w.join();
  w.submit();
  w.submit();
  CHECK_FALSE(w.pool.is_busy());
  w.pause(0);
  CHECK_FALSE(w.pool.is_busy());
}
