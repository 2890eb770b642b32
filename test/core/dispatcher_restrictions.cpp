#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/priority.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

using libpool::assignment;
using libpool::limits;
using libpool::restriction;
using test::dispatcher_world;

namespace {

/// Tasks are bound when they are accepted.
struct eager_world : dispatcher_world {
  explicit eager_world(const limits& within = {}, bool steals = false)
    : dispatcher_world(within, assignment::eager, steals) {
    // nop
  }
};

/// Every 2 ms a task that waits is lifted by one level.
struct aging_world : dispatcher_world {
  aging_world() : dispatcher_world(composed()) {
    // nop
  }

  std::string submit_level(std::int64_t level) {
    auto& what = tasks.emplace_back();
    what.priority = level;
    return submit(what);
  }

private:
  static libpool::composition composed() {
    auto result = test::composed(assignment::lazy, false);
    result.order = std::make_unique<libpool::priority>(
      libpool::priority_options{std::chrono::milliseconds{2}});
    return result;
  }
};

/// Workers 0 and 1 are there, and a task waits for worker 2.
restriction& hold_one(dispatcher_world& w) {
  w.join();
  w.join();
  auto& where = w.only_on({2});
  CHECK(w.submit_to(where) == "");
  CHECK(w.tasks[0].held);
  return where;
}

} // namespace

// -- who may run it -----------------------------------------------------------

TEST_CASE(
  "a restricted task is sent to its permitted worker, or waits for it") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    auto& where = w.only_on({1});
    for (auto i = 0; i < 3; ++i)
      w.join();
    CHECK(w.submit_to(where) == "send 0 to 1");
    CHECK(w.submit_to(where) == "");
    CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
  }
}

TEST_CASE("the placement chooses among the permitted workers of a task") {
  dispatcher_world w;
  auto& where = w.only_on({1, 2});
  for (auto i = 0; i < 4; ++i)
    w.join(2);
  CHECK(w.submit_to(where) == "send 0 to 1");
  CHECK(w.submit_to(where) == "send 1 to 2");
  CHECK(w.submit_to(where) == "send 2 to 1");
  CHECK(w.finish(1) == "end 1: completed");
  CHECK(w.submit_to(where) == "send 3 to 2");
}

TEST_CASE("a wish is followed while a wished worker has room") {
  dispatcher_world w;
  auto& where = w.best_on({1});
  w.join();
  w.join(2);
  CHECK(w.submit_to(where) == "send 0 to 1");
  CHECK(w.submit_to(where) == "send 1 to 1");
  CHECK(w.submit_to(where) == "send 2 to 0");
  CHECK(w.submit_to(where) == "");
  CHECK_FALSE(w.tasks[3].held);
  CHECK(w.finish(2) == "end 2: completed; send 3 to 0");
}

TEST_CASE("an eager pool follows a wish while a wished worker serves") {
  eager_world w;
  auto& where = w.best_on({1});
  w.join();
  w.join();
  for (auto i = 0; i < 3; ++i)
    w.submit_to(where);
  CHECK(w.workers[1].in_flight == 3);
  CHECK(w.leave(1) == "send 1 to 0");
  CHECK(w.workers[0].in_flight == 2);
}

TEST_CASE("a wish for absent workers does not hold a task back") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    w.join();
    CHECK(w.submit_to(w.best_on({4})) == "send 0 to 0");
    CHECK_FALSE(w.tasks[0].held);
  }
}

// -- homes --------------------------------------------------------------------

TEST_CASE("a task is bound to its home, however much is bound there") {
  eager_world w;
  w.join();
  w.join();
  for (auto i = 0; i < 3; ++i)
    w.submit_home(1);
  CHECK(w.workers[0].in_flight == 0);
  CHECK(w.workers[1].in_flight == 3);
}

TEST_CASE("a task goes elsewhere while its home has not joined or has left") {
  eager_world w;
  w.join();
  w.join();
  CHECK(w.submit_home(7) == "send 0 to 0");
  w.retire(1);
  CHECK(w.submit_home(1) == "");
  CHECK(w.workers[0].in_flight == 2);
}

TEST_CASE("a task is bound to its home even while that one pauses") {
  eager_world w;
  w.join();
  w.join();
  w.pause(1);
  CHECK(w.submit_home(1) == "");
  CHECK(w.resume(1) == "send 0 to 1");
}

TEST_CASE("a lazily bound task has no home") {
  dispatcher_world w;
  w.join();
  w.join(2);
  CHECK(w.submit_home(1) == "send 0 to 0");
}

TEST_CASE("a home counts only if it is among the permitted or wished workers "
          "of the task") {
  for (auto loose : {false, true}) {
    eager_world w;
    auto& where = w.only_on({0, 1});
    where.loose = loose;
    for (auto i = 0; i < 3; ++i)
      w.join();
    w.submit_home(2, &where);
    CHECK(w.tasks[0].on == &w.workers[0]);
    w.submit_home(0, &where);
    CHECK(w.tasks[1].on == &w.workers[0]);
    w.submit_home(2, &where);
    CHECK(w.tasks[2].on == &w.workers[1]);
  }
}

TEST_CASE("a task that waited goes to its home once that one has joined") {
  eager_world w;
  w.submit_home(1);
  w.dispatches = false;
  w.join();
  w.join();
  CHECK(w.dispatch() == "send 0 to 1");
}

// -- those that wait hold up nobody -------------------------------------------

TEST_CASE("a held task does not hold up others") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    hold_one(w);
    CHECK(w.submit() == "send 1 to 0");
    CHECK(w.submit_to(w.only_on({1})) == "send 2 to 1");
    CHECK(w.pool.books().waiting == 1);
    CHECK(w.join() == "send 0 to 2");
    CHECK_FALSE(w.tasks[0].held);
  }
}

TEST_CASE(
  "a held task is passed over by younger ones only until its worker joins") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit();
  w.submit_to(w.only_on({1}));
  w.submit();
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
  CHECK(w.finish(1) == "end 1: completed; send 3 to 0");
  CHECK(w.tasks[2].held);
  w.submit();
  w.dispatches = false;
  CHECK(w.finish(3) == "end 3: completed");
  w.join(2);
  CHECK(w.dispatch() == "send 2 to 1; send 4 to 0");
}

TEST_CASE("urgent tasks go first among tasks held for the same worker") {
  dispatcher_world w;
  auto& where = hold_one(w);
  auto& urgent = w.tasks.emplace_back();
  urgent.urgent = true;
  urgent.where = &where;
  CHECK(w.submit(urgent) == "");
  CHECK(w.join(2) == "send 1 to 2; send 0 to 2");
}

TEST_CASE(
  "tasks held for the same worker are sent in the order in which they came") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    auto& where = hold_one(w);
    w.submit_to(where);
    w.submit_to(where);
    CHECK(w.join(2) == "send 0 to 2; send 1 to 2");
    CHECK(w.finish(1) == "end 1: completed; send 2 to 2");
    CHECK(where.held.empty());
  }
}

TEST_CASE("a woken task that is cancelled wakes the next one") {
  dispatcher_world w;
  auto& where = hold_one(w);
  w.submit_to(where);
  w.dispatches = false;
  w.join();
  CHECK_FALSE(w.tasks[0].held);
  CHECK(w.tasks[1].held);
  CHECK(w.cancel(0) == "end 0: cancelled, the client is gone");
  CHECK_FALSE(w.tasks[1].held);
  CHECK(w.dispatch() == "send 1 to 2");
}

TEST_CASE("tasks held for some of the same workers are sent in the order in "
          "which they came") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    w.join();
    auto& both = w.only_on({1, 2});
    auto& first = w.only_on({1});
    w.submit_to(both);
    w.submit_to(first);
    w.submit_to(both);
    w.submit_to(first);
    CHECK(w.join(9) == "send 0 to 1; send 1 to 1; send 2 to 1; send 3 to 1");
  }
}

TEST_CASE("a worker takes the oldest task held for it, whether or not others "
          "may run it") {
  dispatcher_world w;
  w.join();
  auto& both = w.only_on({1, 2});
  auto& first = w.only_on({1});
  w.submit_to(both);
  w.submit_to(first);
  w.submit_to(both);
  w.submit_to(first);
  CHECK(w.join() == "send 0 to 1");
  CHECK(w.join() == "send 2 to 2");
  CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
  CHECK(w.finish(2) == "end 2: completed");
  CHECK(w.finish(1) == "end 1: completed; send 3 to 1");
}

TEST_CASE(
  "a task held for several workers goes to the first of them that joins") {
  for (auto comes : {1, 3, 5}) {
    dispatcher_world w;
    w.join();
    w.submit_to(w.only_on({1, 3, 5}));
    auto& who = w.workers.emplace_back();
    who.number = libpool::worker_number{static_cast<std::uint64_t>(comes)};
    w.pool.joined(who, w.now);
    CHECK(w.decided() == "send 0 to 1");
    CHECK(w.restrictions[0].held.empty());
    w.submit_to(w.restrictions[0]);
    CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
  }
}

TEST_CASE("held tasks are sent by priority where the order goes by priority") {
  auto how = test::composed(assignment::lazy, false);
  how.order = std::make_unique<libpool::priority>();
  dispatcher_world w{std::move(how)};
  w.join();
  auto& where = w.only_on({1});
  for (auto level : {1, 3, 2}) {
    auto& what = w.tasks.emplace_back();
    what.priority = level;
    what.where = &where;
    CHECK(w.submit(what) == "");
  }
  CHECK(w.join(2) == "send 1 to 1; send 2 to 1");
  auto& last = w.tasks.emplace_back();
  last.priority = 4;
  last.where = &where;
  w.submit(last);
  CHECK(w.finish(1) == "end 1: completed; send 3 to 1");
}

TEST_CASE("tasks age from their acceptance on where the order ages them") {
  aging_world w;
  w.at(3);
  w.submit_level(0);
  w.at(9);
  w.submit_level(1);
  w.submit_level(4);
  CHECK(w.pool.is_timed());
  CHECK(w.join(3) == "send 2 to 0; send 0 to 0; send 1 to 0");
}

TEST_CASE("a task that comes back is as old as before") {
  aging_world w;
  w.join();
  w.submit_level(0);
  w.at(5);
  w.submit_level(0);
  w.at(10);
  CHECK(w.come_back(0) == "dismiss 0");
  CHECK(w.join(2) == "send 0 to 1; send 1 to 1");
}

// -- until one of their workers has room --------------------------------------

TEST_CASE("a restricted task waits until its worker has ended another task") {
  dispatcher_world w;
  w.join();
  w.join();
  auto& where = w.only_on({0});
  w.submit();
  CHECK(w.submit_to(where) == "");
  CHECK(w.tasks[1].held);
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
}

TEST_CASE("a restricted task waits until its worker resumes") {
  dispatcher_world w;
  w.join();
  w.join();
  w.pause(0);
  CHECK(w.submit_to(w.only_on({0})) == "");
  CHECK(w.tasks[0].held);
  CHECK(w.resume(1) == "");
  CHECK(w.resume(0) == "send 0 to 0");
}

TEST_CASE("a restricted task waits until its worker has rested") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    auto& where = w.only_on({0});
    w.join();
    w.submit();
    w.start(0);
    w.at(10);
    w.finish(0);
    w.submit();
    w.start(1);
    w.join();
    CHECK(w.crash(1) == "end 1: failed, a worker crashed");
    CHECK(w.submit_to(where) == "");
    CHECK(w.tasks[2].held);
    CHECK(w.at(19) == "");
    CHECK(w.at(20) == "send 2 to 0");
  }
}

TEST_CASE("a restricted task waits until its worker hangs no more") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    auto& where = w.only_on({0});
    w.join();
    w.join();
    w.submit_due(20);
    w.start(0);
    w.at(20);
    CHECK(w.submit_to(where) == "");
    CHECK(w.tasks[1].held);
    CHECK(w.finish(0) == "release 0; send 1 to 0");
  }
}

// -- bound at once ------------------------------------------------------------

TEST_CASE("a new task goes behind older ones that wait to be bound") {
  eager_world w;
  w.dispatches = false;
  w.submit();
  w.join();
  w.submit();
  CHECK(w.pool.books().waiting == 2);
  CHECK(w.dispatch() == "send 0 to 0");
  CHECK(w.pool.books().assigned == 1);
}

TEST_CASE("a new task is bound at once although an older one is held") {
  eager_world w;
  hold_one(w);
  w.dispatches = false;
  w.submit();
  CHECK(w.pool.books().assigned == 1);
}

TEST_CASE("idle workers take over only tasks that they may run") {
  eager_world w{{}, true};
  w.join();
  auto& where = w.only_on({0, 2});
  w.submit();
  w.submit_to(where);
  w.submit();
  CHECK(w.join() == "send 2 to 1");
  CHECK(w.join() == "send 1 to 2");
}

// -- workers that have left ---------------------------------------------------

TEST_CASE("a task fails when the last worker that may run it leaves") {
  dispatcher_world w;
  w.join();
  w.join();
  auto& where = w.only_on({0});
  w.submit_to(where); // has worker 0
  w.submit_to(where);
  w.submit_to(where);
  SUBCASE("by dying") {
    CHECK(w.leave(0)
          == "end 1: failed, the worker is not running; end 2: failed, the "
             "worker is not running");
  }
  SUBCASE("by retiring") {
    CHECK(w.retire(0)
          == "recall 0 from 0; end 1: failed, the worker is not running; end "
             "2: failed, the worker is not running");
  }
  CHECK(w.pool.books().waiting == 0);
}

TEST_CASE("a task fails at once if all workers that may run it have left") {
  dispatcher_world w;
  w.join();
  w.leave(0);
  SUBCASE("while another worker serves") {
    w.join();
    CHECK(w.submit_to(w.only_on({0}))
          == "end 0: failed, the worker is not running");
  }
  SUBCASE("in a pool without workers") {
    CHECK(w.submit_to(w.only_on({0}))
          == "end 0: failed, the worker is not running");
    CHECK(w.submit() == "");
    w.join();
    CHECK(w.pool.books().sent == 1);
  }
}

TEST_CASE("a task waits for workers that have not joined yet") {
  dispatcher_world w;
  w.join();
  auto& where = w.only_on({0, 1});
  w.submit_to(where);
  w.submit_to(where);
  CHECK(w.leave(0) == "");
  CHECK(w.join() == "send 1 to 1");
}

TEST_CASE("a task waits for any worker when its wished workers have left") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit_to(w.best_on({0}));
  CHECK(w.leave(0) == "");
  CHECK(w.join() == "send 1 to 1");
}
