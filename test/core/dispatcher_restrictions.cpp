/// Which workers a dispatcher permits tasks to run on.

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"
#include "support/held_task.hpp"

#include <doctest/doctest.h>

using libpool::assignment;
using test::dispatcher_world;
using test::eager_world;
using test::hold_one;

// -- permitted workers --------------------------------------------------------

TEST_CASE("a restricted task is sent to its permitted worker, or waits for "
          "that worker") {
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

TEST_CASE("the placement rule chooses among the permitted workers of a task") {
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

TEST_CASE("a task goes to a preferred worker while one has room") {
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

TEST_CASE("with eager assignment, a task is assigned to a preferred worker "
          "while one is in the pool") {
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

TEST_CASE(
  "a task whose preferred workers are absent goes to another worker at once") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    w.join();
    CHECK(w.submit_to(w.best_on({4})) == "send 0 to 0");
    CHECK_FALSE(w.tasks[0].held);
  }
}

// -- homes --------------------------------------------------------------------

TEST_CASE("a task is assigned to its home worker even if other workers have "
          "fewer tasks") {
  eager_world w;
  w.join();
  w.join();
  for (auto i = 0; i < 3; ++i)
    w.submit_home(1);
  CHECK(w.workers[0].in_flight == 0);
  CHECK(w.workers[1].in_flight == 3);
}

TEST_CASE("a task goes to another worker if its home worker has not joined or "
          "has left") {
  eager_world w;
  w.join();
  w.join();
  CHECK(w.submit_home(7) == "send 0 to 0");
  w.retire(1);
  CHECK(w.submit_home(1) == "");
  CHECK(w.workers[0].in_flight == 2);
}

TEST_CASE(
  "a task is assigned to its home worker even if the home worker is paused") {
  eager_world w;
  w.join();
  w.join();
  w.pause(1);
  CHECK(w.submit_home(1) == "");
  CHECK(w.resume(1) == "send 0 to 1");
}

TEST_CASE("lazy assignment ignores the home worker of a task") {
  dispatcher_world w;
  w.join();
  w.join(2);
  CHECK(w.submit_home(1) == "send 0 to 0");
}

TEST_CASE("the home worker of a task is ignored if it is not a permitted or "
          "preferred worker of the task") {
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

TEST_CASE(
  "a waiting task goes to its home worker once that worker has joined") {
  eager_world w;
  w.submit_home(1);
  w.dispatches = false;
  w.join();
  w.join();
  CHECK(w.dispatch() == "send 0 to 1");
}

// -- assignment at once -------------------------------------------------------

TEST_CASE("a new task waits behind older tasks that wait for assignment") {
  eager_world w;
  w.dispatches = false;
  w.submit();
  w.join();
  w.submit();
  CHECK(w.pool.books().waiting == 2);
  CHECK(w.dispatch() == "send 0 to 0");
  CHECK(w.pool.books().assigned == 1);
}

TEST_CASE("a new task is assigned at once even if an older task waits for its "
          "permitted worker") {
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
  SUBCASE("the worker terminates") {
    CHECK(w.leave(0)
          == "end 1: failed, the worker is not running; end 2: failed, the "
             "worker is not running");
  }
  SUBCASE("the worker retires") {
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

TEST_CASE("a task whose preferred workers have left waits for any worker") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit_to(w.best_on({0}));
  CHECK(w.leave(0) == "");
  CHECK(w.join() == "send 1 to 1");
}
