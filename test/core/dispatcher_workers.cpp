#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>

using test::dispatcher_world;
using namespace std::chrono_literals;

namespace {

/// Worker 0 has completed a task in 10 ms, and is idle at 10 ms.
void warm_up(dispatcher_world& w) {
  w.join();
  w.submit();
  w.start(0);
  w.at(10);
  w.finish(0);
}

} // namespace

// -- coming and going ---------------------------------------------------------

TEST_CASE("a worker that joins twice is added once, and a worker that has not "
          "joined cannot leave") {
  dispatcher_world w;
  w.workers.emplace_back();
  CHECK(w.retire(0) == "");
  CHECK(w.leave(0) == "");
  w.submit();
  w.pool.joined(w.workers[0], w.now);
  CHECK(w.decided() == "send 0 to 0");
  w.pool.joined(w.workers[0], w.now);
  w.submit();
  CHECK(w.decided() == "");
}

TEST_CASE("the dispatcher dismisses an idle worker that leaves exactly once") {
  dispatcher_world w;
  w.join();
  w.join();
  CHECK(w.retire(0) == "dismiss 0");
  CHECK(w.retire(0) == "");
  CHECK(w.leave(0) == "");
  CHECK(w.leave(1) == "dismiss 1");
  CHECK(w.leave(1) == "");
  CHECK(w.submit() == "");
}

TEST_CASE("a worker that was dismissed may join again") {
  dispatcher_world w;
  w.join();
  w.leave(0);
  w.submit();
  w.pool.joined(w.workers[0], w.now);
  CHECK(w.decided() == "send 0 to 0");
}

TEST_CASE("a retired worker completes the tasks that it has started, and its "
          "other tasks are recalled") {
  dispatcher_world w;
  w.join(3);
  w.submit();
  w.submit();
  w.submit();
  w.start(0);
  CHECK(w.retire(0) == "recall 1 from 0; recall 2 from 0");
  CHECK(w.submit() == "");
  CHECK(w.come_back(1) == "");
  CHECK(w.start(2) == "");
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.finish(2) == "end 2: completed; dismiss 0");
  CHECK(w.join(2) == "send 1 to 1; send 3 to 1");
}

TEST_CASE(
  "a worker that was retired may terminate before its tasks have ended") {
  dispatcher_world w;
  w.join(2);
  w.submit();
  w.submit();
  w.start(0);
  w.retire(0);
  CHECK(w.leave(0) == "");
  CHECK(w.come_back(1) == "");
  CHECK(w.crash(0) == "end 0: failed, a worker crashed; dismiss 0");
}

TEST_CASE(
  "a task is settled once, whether it ends before or after its worker leaves") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.start(0);
  CHECK(w.crash(0) == "end 0: failed, a worker crashed");
  CHECK(w.leave(0) == "dismiss 0");

  w.join();
  w.submit();
  w.start(1);
  CHECK(w.leave(1) == "");
  CHECK(w.pool.books().running == 1);
  CHECK(w.crash(1) == "end 1: failed, a worker crashed; dismiss 1");
  CHECK(w.crash(1) == "");
  CHECK(w.leave(1) == "");
}

TEST_CASE(
  "a worker that returns a task without a recall counts as terminated") {
  dispatcher_world w;
  w.join(2);
  w.submit();
  w.submit();
  CHECK(w.come_back(0) == "");
  CHECK(w.submit() == "");
  CHECK(w.come_back(1) == "dismiss 0");
  CHECK(w.leave(0) == "");
  CHECK(w.pool.books().waiting == 3);
}

TEST_CASE("tasks are not recalled from a worker that has terminated") {
  dispatcher_world w;
  w.join(2);
  w.submit();
  w.submit();
  CHECK(w.leave(0) == "");
  CHECK(w.join(2) == "");
  CHECK(w.come_back(0) == "send 0 to 1");
  CHECK(w.come_back(1) == "dismiss 0; send 1 to 1");
}

// -- hanging ------------------------------------------------------------------

TEST_CASE("tasks in the mailbox of a worker that hangs go to another worker") {
  dispatcher_world w;
  w.join(3);
  w.submit_due(20);
  w.submit();
  w.submit();
  w.join();
  w.start(0);
  CHECK(w.at(20)
        == "settle 0: cancelled, the deadline has passed; "
           "recall 1 from 0; recall 2 from 0");
  CHECK(w.come_back(1) == "send 1 to 1");
  CHECK(w.come_back(2) == "");
  CHECK(w.submit() == "");
  CHECK(w.finish(1) == "end 1: completed; send 2 to 1");
  CHECK(w.finish(0) == "release 0; send 3 to 0");
  CHECK(w.workers[0].hanging == 0);
}

TEST_CASE(
  "a worker that hangs with two tasks gets tasks again when both have ended") {
  dispatcher_world w;
  w.join(3);
  w.submit_due(20);
  w.submit_due(20);
  w.start(0);
  w.start(1);
  w.at(20);
  w.submit();
  CHECK(w.finish(1) == "release 1");
  CHECK(w.finish(0) == "release 0; send 2 to 0");
}

TEST_CASE("a task that starts before its recall arrives is not sent to another "
          "worker") {
  dispatcher_world w;
  w.join(2);
  w.submit_due(20);
  w.submit();
  w.start(0);
  CHECK(w.at(20)
        == "settle 0: cancelled, the deadline has passed; recall 1 from 0");
  CHECK(w.start(1) == "");
  CHECK(w.finish(1) == "end 1: completed");
  CHECK(w.leave(0) == "");
  CHECK(w.crash(0) == "release 0; dismiss 0");
}

TEST_CASE("a retired worker that hangs is dismissed when its task ends") {
  dispatcher_world w;
  w.join();
  w.submit_due(20);
  w.start(0);
  w.retire(0);
  CHECK(w.at(20) == "settle 0: cancelled, the deadline has passed");
  CHECK(w.finish(0) == "release 0; dismiss 0");
}

TEST_CASE(
  "a worker does not hang on a recalled task that ends without a start") {
  dispatcher_world w;
  w.join(3);
  w.submit_due(20);
  w.submit();
  w.submit();
  CHECK(w.at(20) == "recall 0 from 0");
  CHECK(w.finish(0) == "end 0: cancelled, the deadline has passed");
  CHECK(w.workers[0].hanging == 0);
  CHECK(w.workers[0].in_mailbox == 2);
  CHECK(w.finish(0) == "");
  CHECK(w.submit() == "send 3 to 0");
  CHECK(w.pool.books().cancelled == 1);
}

TEST_CASE(
  "a task that crashes its worker after it was recalled is not retried") {
  libpool::limits twice;
  twice.retries = 1;
  dispatcher_world w{twice};
  w.join(2);
  w.submit_due(20);
  w.submit();
  w.at(20);
  CHECK(w.crash(0) == "end 0: cancelled, the deadline has passed");
  w.cancel(1);
  CHECK(w.crash(1) == "end 1: cancelled, the client has ended");
  CHECK(w.workers[0].record.failed == 2);
  CHECK(w.submit() == "send 2 to 0");
}

TEST_CASE(
  "a recalled task of a retired worker is completed if its handler ends") {
  dispatcher_world w;
  w.join(2);
  w.submit();
  w.submit();
  CHECK(w.retire(0) == "recall 0 from 0; recall 1 from 0");
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.finish(1) == "end 1: completed; dismiss 0");
}

// -- resting ------------------------------------------------------------------

TEST_CASE("after a crash, a worker cools down until its slowest recent task "
          "would have ended") {
  dispatcher_world w;
  warm_up(w);
  w.submit();
  w.start(1);
  w.at(11);
  CHECK(w.crash(1) == "end 1: failed, a worker crashed");
  CHECK(w.submit() == "");
  CHECK(w.pool.next_tick() == w.moment(20));
  CHECK(w.at(19) == "");
  CHECK(w.at(20) == "send 2 to 0");
  CHECK(w.pool.next_tick() == libpool::never);
}

TEST_CASE("a worker does not cool down if the crashed task ran as long as the "
          "slowest recent task") {
  dispatcher_world w;
  warm_up(w);
  w.submit();
  w.start(1);
  w.at(20);
  w.crash(1);
  CHECK(w.submit() == "send 2 to 0");
}

TEST_CASE("a second crash extends the cool-down of a worker") {
  dispatcher_world w;
  w.join(2);
  w.submit();
  w.start(0);
  w.at(10);
  w.finish(0);
  w.submit();
  w.submit();
  w.start(1);
  w.at(12);
  w.crash(1);
  CHECK(w.pool.next_tick() == w.moment(20));
  w.start(2);
  w.at(13);
  w.crash(2);
  CHECK(w.pool.next_tick() == w.moment(22));
  w.submit();
  CHECK(w.at(21) == "");
  CHECK(w.at(22) == "send 3 to 0");
}

TEST_CASE(
  "a worker that has not completed any task does not cool down after a crash") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.crash(0);
  CHECK(w.submit() == "send 1 to 0");
}

TEST_CASE(
  "the maximum recent service time of a worker decreases with faster tasks") {
  dispatcher_world w;
  w.join();
  for (std::size_t i = 0; i < 2; ++i) {
    w.submit();
    w.start(i);
    w.at(i == 0 ? 8 : 9);
    w.finish(i);
  }
  CHECK(w.workers[0].slowest_lately == 7ms);
}

TEST_CASE("a task goes to another worker while the first worker cools down "
          "after a crash") {
  dispatcher_world w;
  warm_up(w);
  w.join();
  w.submit();
  CHECK(w.submit() == "send 2 to 0");
  w.start(2);
  w.crash(2);
  CHECK(w.submit() == "");
  CHECK(w.finish(1) == "end 1: completed; send 3 to 1");
}

TEST_CASE("a worker may leave while it cools down after a crash") {
  dispatcher_world w;
  warm_up(w);
  w.submit();
  w.start(1);
  w.crash(1);
  CHECK(w.retire(0) == "dismiss 0");
  CHECK(w.pool.next_tick() == libpool::never);
  CHECK(w.at(30) == "");
}

TEST_CASE("a worker that has left does not cool down when its task crashes") {
  dispatcher_world w;
  warm_up(w);
  w.submit();
  w.start(1);
  w.leave(0);
  CHECK(w.crash(1) == "end 1: failed, a worker crashed; dismiss 0");
  CHECK(w.pool.next_tick() == libpool::never);
}
