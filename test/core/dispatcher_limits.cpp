#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace dispatcher_limits_tests {

using libpool::limits;
using libpool::never;
using libpool::overflow;
using test::dispatcher_world;

namespace {

constexpr auto no_limit = static_cast<std::size_t>(-1);

limits room_for(std::size_t capacity, overflow then = overflow::refuse) {
  return {capacity, then};
}

limits tries(unsigned retries, unsigned poison_after = 0) {
  return {no_limit, overflow::refuse, retries, poison_after};
}

} // namespace

// -- capacity -----------------------------------------------------------------

TEST_CASE("a full pool refuses the next task, and accepts tasks when it has "
          "room again") {
  dispatcher_world w{room_for(2)};
  w.join();
  CHECK(w.submit() == "send 0 to 0");
  CHECK(w.submit() == "");
  CHECK(w.submit() == "");
  CHECK(w.submit() == "end 3: refused, the queue is full");
  CHECK(w.pool.books().refused == 1);
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
  CHECK(w.submit() == "");
  CHECK(w.submit() == "end 5: refused, the queue is full");
  CHECK(w.pool.books().accepted == 4);
}

TEST_CASE(
  "a pool with capacity 0 accepts a task that an idle worker gets at once") {
  for (auto then : {overflow::refuse, overflow::drop_oldest}) {
    dispatcher_world w{room_for(0, then)};
    CHECK(w.submit() == "end 0: refused, the queue is full");
    w.join();
    CHECK(w.submit() == "send 1 to 0");
    CHECK(w.submit() == "end 2: refused, the queue is full");
    w.finish(1);
    CHECK(w.submit() == "send 3 to 0");
  }
}

TEST_CASE(
  "before a full pool refuses a task, the dispatcher sends waiting tasks") {
  dispatcher_world w{room_for(1)};
  w.dispatches = false;
  w.join();
  w.join();
  CHECK(w.submit() == "");
  CHECK(w.submit() == "send 0 to 0");
  CHECK(w.submit() == "send 1 to 1");
  CHECK(w.submit() == "end 3: refused, the queue is full");
  CHECK(w.pool.books().waiting == 1);
}

TEST_CASE("a full pool accepts one more task for each further task that the "
          "window of a worker allows") {
  dispatcher_world w{room_for(1)};
  w.dispatches = false;
  w.submit();
  w.join(2);
  CHECK(w.submit() == "send 0 to 0");
  CHECK(w.submit() == "send 1 to 0");
  CHECK(w.submit() == "end 3: refused, the queue is full");
}

TEST_CASE(
  "a full pool drops the oldest unsent task even if the task is urgent") {
  dispatcher_world w{room_for(2, overflow::drop_oldest)};
  w.join();
  w.submit();
  CHECK(w.submit_urgent() == "");
  CHECK(w.submit() == "");
  CHECK(w.submit() == "end 1: cancelled, the queue is full");
  CHECK(w.submit_urgent() == "end 2: cancelled, the queue is full");
  CHECK(w.finish(0) == "end 0: completed; send 4 to 0");
  CHECK(w.pool.books().cancelled == 2);
  CHECK(w.pool.books().refused == 0);
}

TEST_CASE("a task that a worker returns counts against the capacity, and is "
          "the oldest task again") {
  dispatcher_world w{room_for(2, overflow::drop_oldest)};
  w.join();
  w.submit();
  w.submit();
  w.submit();
  CHECK(w.come_back(0) == "dismiss 0");
  CHECK(w.pool.books().waiting == 3);
  CHECK(w.submit() == "end 0: cancelled, the queue is full");
}

TEST_CASE("a full pool has room again when a waiting task is cancelled") {
  dispatcher_world w{room_for(1)};
  w.submit();
  CHECK(w.cancel(0) == "end 0: cancelled, the client has ended");
  CHECK(w.submit() == "");
  CHECK(w.submit() == "end 2: refused, the queue is full");
}

// -- cancellation -------------------------------------------------------------

TEST_CASE("a waiting task is cancelled at once") {
  dispatcher_world w;
  w.submit();
  w.submit();
  CHECK(w.cancel(0) == "end 0: cancelled, the client has ended");
  CHECK(w.cancel(0) == "");
  CHECK(w.join(2) == "send 1 to 0");
}

TEST_CASE("a task that is cancelled in a worker's mailbox is recalled once, "
          "and is settled when it is returned") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit();
  CHECK(w.cancel(0) == "recall 0 from 0");
  CHECK(w.cancel(0) == "");
  CHECK(w.come_back(0)
        == "end 0: cancelled, the client has ended; send 1 to 0");
  CHECK(w.pool.books().cancelled == 1);
}

TEST_CASE("a recalled task that still starts is settled at once, and occupies "
          "its worker until the handler ends") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit();
  w.cancel(0);
  CHECK(w.start(0) == "settle 0: cancelled, the client has ended");
  CHECK(w.come_back(0) == "");
  CHECK(w.finish(0) == "release 0; send 1 to 0");
  CHECK(w.pool.books().cancelled == 1);
  CHECK(w.pool.books().completed == 0);
}

TEST_CASE(
  "a cancellation does not affect a later submission of the same task") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.cancel(0);
  w.come_back(0);
  CHECK(w.submit(w.tasks[0]) == "send 0 to 0");
  CHECK(w.start(0) == "");
  CHECK(w.cancel(0) == "settle 0: cancelled, the client has ended");
}

TEST_CASE("a task that a hanging worker has returned can be recalled from the "
          "next worker") {
  dispatcher_world w;
  w.join(2);
  w.submit_due(20);
  w.submit();
  w.join();
  w.start(0);
  w.at(20);
  CHECK(w.come_back(1) == "send 1 to 1");
  CHECK(w.cancel(1) == "recall 1 from 1");
}

TEST_CASE("a running task is cancelled at once, and occupies its worker until "
          "it ends") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit();
  w.start(0);
  CHECK(w.cancel(0) == "settle 0: cancelled, the client has ended");
  CHECK(w.pool.books().running == 0);
  CHECK(w.cancel(0) == "");
  CHECK(w.crash(0) == "release 0; send 1 to 0");
  CHECK(w.pool.books().failed == 0);
}

TEST_CASE("a worker whose running task was cancelled does not count as "
          "hanging, and gets further tasks") {
  dispatcher_world w;
  w.join(2);
  w.submit();
  w.start(0);
  w.cancel(0);
  CHECK(w.submit() == "send 1 to 0");
}

// -- deadlines ----------------------------------------------------------------

TEST_CASE(
  "next_tick of the dispatcher returns the earliest deadline of its tasks") {
  dispatcher_world w;
  CHECK(w.pool.next_tick() == never);
  w.submit_due(30);
  w.submit_due(20);
  w.submit();
  CHECK(w.pool.next_tick() == w.moment(20));
  CHECK(w.at(19) == "");
  CHECK(w.at(20) == "end 1: cancelled, the deadline has passed");
  CHECK(w.pool.next_tick() == w.moment(30));
  w.cancel(0);
  CHECK(w.pool.next_tick() == never);
}

TEST_CASE(
  "next_tick of the dispatcher ignores the deadline of a completed task") {
  dispatcher_world w;
  w.join();
  w.submit_due(20);
  w.finish(0);
  CHECK(w.pool.next_tick() == never);
  CHECK(w.at(30) == "");
}

TEST_CASE(
  "a task that waits in the mailbox of a worker is recalled at its deadline") {
  dispatcher_world w;
  w.join();
  w.submit_due(20);
  CHECK(w.at(20) == "recall 0 from 0");
  CHECK(w.pool.next_tick() == never);
  CHECK(w.at(21) == "");
  CHECK(w.come_back(0) == "end 0: cancelled, the deadline has passed");
  CHECK(w.submit() == "send 1 to 0");
}

TEST_CASE("a worker that starts a task after its deadline counts as hanging "
          "until the task ends") {
  dispatcher_world w;
  w.join(2);
  w.submit_due(20);
  w.at(20);
  CHECK(w.start(0) == "settle 0: cancelled, the deadline has passed");
  CHECK(w.submit() == "");
  CHECK(w.finish(0) == "release 0; send 1 to 0");
}

TEST_CASE("a task that is cancelled twice is settled with the reason of the "
          "first cancellation") {
  dispatcher_world w;
  w.join();
  w.submit_due(20);
  w.cancel(0);
  CHECK(w.at(20) == "");
  CHECK(w.come_back(0) == "end 0: cancelled, the client has ended");
}

TEST_CASE(
  "a running task is settled at its deadline, and released when it ends") {
  dispatcher_world w;
  w.join();
  w.submit_due(20);
  w.start(0);
  CHECK(w.at(20) == "settle 0: cancelled, the deadline has passed");
  CHECK(w.pool.books().cancelled == 1);
  CHECK(w.pool.books().open() == 0);
  CHECK(w.workers[0].in_mailbox == 1);
  CHECK(w.submit() == "");
  CHECK(w.finish(0) == "release 0; send 1 to 0");
  CHECK(w.pool.books().completed == 0);
}

TEST_CASE("a task keeps its deadline when it is retried on another worker") {
  dispatcher_world w{tries(1)};
  w.join();
  w.join();
  w.submit_due(20);
  w.crash(0);
  CHECK(w.pool.next_tick() == w.moment(20));
  CHECK(w.at(20) == "recall 0 from 1");
}

// -- crashes ------------------------------------------------------------------

TEST_CASE("a task that crashes its worker is not retried by default") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.start(0);
  CHECK(w.crash(0) == "end 0: failed, a worker crashed");
  CHECK(w.pool.books().failed == 1);
}

TEST_CASE("a task that crashes its worker is retried before later tasks, up to "
          "the limit of retries") {
  dispatcher_world w{tries(2)};
  w.join();
  w.submit();
  w.submit();
  CHECK(w.crash(0) == "send 0 to 0");
  CHECK(w.crash(0) == "send 0 to 0");
  CHECK(w.crash(0)
        == "end 0: failed, the task crashed again after its last retry; send 1 "
           "to 0");
  CHECK(w.crash(1) == "send 1 to 0");
  CHECK(w.finish(1) == "end 1: completed");
}

TEST_CASE(
  "a task that crashes its worker is not retried if it is not repeatable") {
  dispatcher_world w{tries(5)};
  w.join();
  w.tasks.emplace_back().repeatable = false;
  CHECK(w.submit(w.tasks[0]) == "send 0 to 0");
  CHECK(w.crash(0) == "end 0: failed, a worker crashed");
}

TEST_CASE("a task that is not repeatable is sent again if a worker returns it "
          "before its start") {
  dispatcher_world w;
  w.join();
  w.join();
  w.tasks.emplace_back().repeatable = false;
  w.submit(w.tasks[0]);
  CHECK(w.come_back(0) == "dismiss 0; send 0 to 1");
}

TEST_CASE("a task that has crashed too many workers fails even if it has "
          "retries left") {
  dispatcher_world w{tries(9, 2)};
  w.join();
  w.submit();
  CHECK(w.crash(0) == "send 0 to 0");
  CHECK(w.crash(0) == "end 0: failed, the task crashed too many workers");
}

TEST_CASE(
  "a task fails when it has no retries left even if it is not poisoned") {
  dispatcher_world w{tries(1, 3)};
  w.join();
  w.submit();
  w.crash(0);
  CHECK(w.crash(0)
        == "end 0: failed, the task crashed again after its last retry");
}

TEST_CASE("an interrupted task runs again, and the interruption is not counted "
          "as a crash") {
  dispatcher_world w{tries(0, 1)};
  w.join();
  w.join();
  w.submit();
  w.start(0);
  w.pool.left(w.workers[0], w.now);
  CHECK(w.interrupt(0) == "dismiss 0; send 0 to 1");
  CHECK(w.workers[0].record.failed == 0);
  CHECK(w.crash(0) == "end 0: failed, the task crashed too many workers");
}

TEST_CASE(
  "earlier crashes of a task do not count after it is submitted again") {
  dispatcher_world w{tries(9, 2)};
  w.join();
  w.submit();
  w.crash(0);
  CHECK(w.finish(0) == "end 0: completed");
  w.submit(w.tasks[0]);
  CHECK(w.crash(0) == "send 0 to 0");
}

} // namespace dispatcher_limits_tests
