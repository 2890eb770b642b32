/// Workers that are pools: they rest until they have room, change in size, and
/// give back tasks that they have not handled.

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using libpool::assignment;
using libpool::never;

namespace {

struct pools_world : test::dispatcher_world {
  explicit pools_world(assignment when = assignment::lazy)
    : dispatcher_world({}, when) {
    // nop
  }

  std::string join_pool(std::size_t seats) {
    auto& worker = hire();
    worker.window = worker.seats = seats;
    worker.is_pool = true;
    return join(worker);
  }

  std::string rest(std::size_t worker, libpool::instant until = never) {
    pool.rested(workers[worker], until, now);
    return decided();
  }

  std::string has_room(std::size_t worker) {
    pool.roomy(workers[worker], now);
    return decided();
  }

  std::string resize(std::size_t worker, std::size_t places,
                     bool has_nobody = false) {
    pool.resized(workers[worker], places, has_nobody, now);
    return decided();
  }

  std::string give_back(std::size_t task) {
    pool.unhandled(tasks[task], now);
    return decided();
  }
};

} // namespace

TEST_CASE("an inner pool that was full gets tasks again when it reports room, "
          "or at a given time") {
  pools_world w;
  w.join_pool(2);
  CHECK(w.rest(0) == "");
  CHECK(w.submit() == "");
  CHECK(w.pool.next_tick() == never);
  CHECK(w.has_room(0) == "send 0 to 0");
  CHECK(w.rest(0, w.moment(10)) == "");
  CHECK(w.does("submit, at 9") == "");
  CHECK(w.at(10) == "send 1 to 0");
}

TEST_CASE("a task assigned to an inner pool goes to another worker if the "
          "inner pool is full or gets 0 places") {
  for (auto rests : {true, false}) {
    pools_world w{assignment::eager};
    w.join_pool(1);
    w.does("submit 2");
    CHECK(w.pool.books().assigned == 1);
    CHECK((rests ? w.rest(0) : w.resize(0, 0)) == "");
    CHECK(w.pool.books().waiting == 1);
    CHECK(w.join_pool(1) == "send 1 to 1");
    CHECK(w.submit() == "");
    CHECK(w.pool.books().assigned == 1);
  }
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
  auto& worker = w.hire();
  worker.window = worker.seats = 0;
  worker.is_pool = worker.has_nobody = true;
  CHECK(w.join(worker) == "end 0: failed, the worker is not running");
}

TEST_CASE("a task that an inner pool gives back unhandled keeps its place in "
          "the order") {
  pools_world w;
  w.join_pool(2);
  w.does("submit 3");
  CHECK(w.rest(0) == "");
  CHECK(w.give_back(1) == "");
  CHECK(w.give_back(0) == "");
  CHECK(w.has_room(0) == "send 0 to 0; send 1 to 0");
  CHECK(w.pool.books().balances());
}

TEST_CASE("a task that is given back unhandled after its start is sent again, "
          "and no crash is counted") {
  pools_world w;
  w.does("join, submit, start 0");
  CHECK(w.give_back(0) == "send 0 to 0");
  CHECK(w.tasks[0].started == never);
  CHECK(w.tasks[0].notes().crashes == 0);
  CHECK(w.finish(0) == "end 0: completed");
}

TEST_CASE(
  "a cancelled task that a worker gives back unhandled is not sent again") {
  pools_world w;
  w.does("join, submit");
  SUBCASE("before the task began") {
    CHECK(w.cancel(0) == "recall 0 from 0");
    CHECK(w.give_back(0) == "end 0: cancelled, the client has ended");
  }
  SUBCASE("after the task began") {
    w.start(0);
    CHECK(w.cancel(0)
          == "settle 0: cancelled, the client has ended; give up 0");
    CHECK(w.give_back(0) == "release 0");
  }
  CHECK(w.pool.books().open() == 0);
}

TEST_CASE(
  "an inner pool gets as many tasks as it has places, also after a resize") {
  pools_world w;
  w.join_pool(2);
  CHECK(w.does("submit 3") == "send 0 to 0; send 1 to 0");
  CHECK(w.resize(0, 3) == "send 2 to 0");
  CHECK(w.resize(0, 1) == "");
  CHECK(w.does("submit, finish 0, finish 1")
        == "end 0: completed; end 1: completed");
  CHECK(w.finish(2) == "end 2: completed; send 3 to 0");
}

TEST_CASE("an inner pool gets further tasks at once after a crash of one of "
          "its workers, or while a task hangs") {
  pools_world w;
  w.join_pool(1);
  w.does("submit, start 0, at 100, finish 0, submit, start 1, submit");
  CHECK(w.crash(1) == "end 1: failed, a worker crashed; send 2 to 0");
  w.resize(0, 2);
  w.does("due 110, start 3");
  CHECK(w.at(110) == "settle 3: cancelled, the deadline has passed; give up 3");
  CHECK(w.does("finish 2, submit") == "end 2: completed; send 4 to 0");
  CHECK(w.finish(3) == "release 3");
}
