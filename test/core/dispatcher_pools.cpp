/// Workers that are pools: they rest until they have room, change in size, and
/// give back tasks that they have not handled.

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <cstddef>

using libpool::assignment;
using libpool::never;
using test::dispatcher_world;

namespace {

struct pools_world : dispatcher_world {
  explicit pools_world(assignment when = assignment::lazy)
    : dispatcher_world({}, when) {
    // nop
  }

  std::string join_pool(std::size_t seats) {
    auto& worker = workers.emplace_back();
    worker.number = libpool::worker_number{workers.size() - 1};
    worker.window = worker.seats = seats;
    worker.is_pool = true;
    pool.joined(worker, now);
    return decided();
  }

  std::string rest(std::size_t task, libpool::instant until = never) {
    pool.rested(workers[task], until, now);
    return decided();
  }

  std::string has_room(std::size_t task) {
    pool.roomy(workers[task], now);
    return decided();
  }

  std::string resize(std::size_t task, std::size_t places,
                     bool has_nobody = false) {
    pool.resized(workers[task], places, has_nobody, now);
    return decided();
  }

  std::string give_back(std::size_t task) {
    pool.unhandled(tasks[task], now);
    return decided();
  }
};

} // namespace

TEST_CASE("an inner pool that was full gets no task until it reports room") {
  pools_world w;
  w.join_pool(2);
  CHECK(w.rest(0) == "");
  CHECK(w.submit() == "");
  CHECK(w.pool.next_tick() == never);
  CHECK(w.has_room(0) == "send 0 to 0");
}

TEST_CASE("an inner pool that was full gets tasks again at a given time, even "
          "without a report of room") {
  pools_world w;
  w.join_pool(1);
  w.rest(0, dispatcher_world::moment(10));
  w.submit();
  CHECK(w.at(9) == "");
  CHECK(w.at(10) == "send 0 to 0");
}

TEST_CASE(
  "a task assigned to an inner pool that is full goes to another worker") {
  pools_world w{assignment::eager};
  w.join_pool(1);
  w.submit();
  w.submit();
  CHECK(w.pool.books().assigned == 1);
  w.join_pool(1);
  CHECK(w.rest(0) == "send 1 to 1");
  CHECK(w.submit() == "");
  CHECK(w.pool.books().assigned == 1);
}

TEST_CASE("a task for an inner pool without workers waits while that pool "
          "expects workers, and fails afterwards") {
  pools_world w;
  w.join();
  w.join_pool(1);
  auto& where = w.only_on({1});
  w.resize(1, 0);
  CHECK(w.submit_to(where) == "");
  CHECK(w.resize(1, 1) == "send 0 to 1");
  CHECK(w.submit_to(where) == "");
  CHECK(w.give_back(0) == "send 0 to 1");
  CHECK(w.resize(1, 0) == "");
  CHECK(w.resize(1, 0, true) == "end 1: failed, the worker is not running");
  CHECK(w.submit_to(where) == "end 2: failed, the worker is not running");
  CHECK(w.resize(1, 2) == "");
  CHECK(w.submit_to(where) == "send 3 to 1");
}

TEST_CASE("a waiting task fails when its permitted worker joins as an inner "
          "pool without workers") {
  pools_world w;
  w.join();
  CHECK(w.submit_to(w.only_on({1})) == "");
  auto& worker = w.workers.emplace_back();
  worker.number = libpool::worker_number{1};
  worker.window = worker.seats = 0;
  worker.is_pool = worker.has_nobody = true;
  w.pool.joined(worker, w.now);
  CHECK(w.decided() == "end 0: failed, the worker is not running");
}

TEST_CASE("a task that an inner pool gives back unhandled keeps its place in "
          "the order") {
  pools_world w;
  w.join_pool(2);
  w.submit();
  w.submit();
  w.submit();
  CHECK(w.rest(0) == "");
  CHECK(w.give_back(1) == "");
  CHECK(w.give_back(0) == "");
  CHECK(w.has_room(0) == "send 0 to 0; send 1 to 0");
  CHECK(w.pool.books().balances());
}

TEST_CASE("a task that is given back unhandled after its start is sent again, "
          "and no crash is counted") {
  pools_world w;
  w.join();
  w.submit();
  w.start(0);
  CHECK(w.give_back(0) == "send 0 to 0");
  CHECK(w.tasks[0].started == never);
  CHECK(w.tasks[0].crashes == 0);
  CHECK(w.finish(0) == "end 0: completed");
}

TEST_CASE(
  "a cancelled task that a worker gives back unhandled is not sent again") {
  pools_world w;
  w.join();
  w.submit();
  SUBCASE("before the task began") {
    CHECK(w.cancel(0) == "recall 0 from 0");
    CHECK(w.give_back(0) == "end 0: cancelled, the client has ended");
  }
  SUBCASE("after the task began") {
    w.start(0);
    CHECK(w.cancel(0) == "settle 0: cancelled, the client has ended");
    CHECK(w.give_back(0) == "release 0");
  }
  CHECK(w.pool.books().open() == 0);
}

TEST_CASE(
  "an inner pool gets as many tasks as it has places, also after a resize") {
  pools_world w;
  w.join_pool(2);
  w.submit();
  w.submit();
  CHECK(w.submit() == "");
  CHECK(w.resize(0, 3) == "send 2 to 0");
  CHECK(w.resize(0, 1) == "");
  CHECK(w.submit() == "");
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.finish(1) == "end 1: completed");
  CHECK(w.finish(2) == "end 2: completed; send 3 to 0");
}

TEST_CASE("no tasks are assigned to an inner pool with 0 places") {
  pools_world w{assignment::eager};
  w.join_pool(1);
  w.submit();
  w.submit();
  CHECK(w.resize(0, 0) == "");
  CHECK(w.pool.books().assigned == 0);
  CHECK(w.pool.books().waiting == 1);
  CHECK(w.join_pool(1) == "send 1 to 1");
}

TEST_CASE(
  "a task that hangs in an inner pool does not delay other tasks there") {
  pools_world w;
  w.join_pool(2);
  w.submit_due(10);
  w.start(0);
  CHECK(w.at(10) == "settle 0: cancelled, the deadline has passed");
  CHECK(w.submit() == "send 1 to 0");
  CHECK(w.finish(0) == "release 0");
}

TEST_CASE("an inner pool gets further tasks at once after a crash of one of "
          "its workers") {
  pools_world w;
  w.join_pool(1);
  w.submit();
  w.start(0);
  w.at(100);
  w.finish(0);
  w.submit();
  w.start(1);
  w.submit();
  CHECK(w.crash(1) == "end 1: failed, a worker crashed; send 2 to 0");
}
