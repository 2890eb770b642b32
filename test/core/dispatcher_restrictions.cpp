/// Which workers a dispatcher permits tasks to run on, and tasks that wait for
/// them.

#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/stealing/cost_aware_stealing.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace dispatcher_restrictions_tests {

using libpool::assignment;
using libpool::errc;
using libpool::restriction;
using libpool::worker_number;
using test::dispatcher_world;

namespace {

constexpr auto both = {assignment::lazy, assignment::eager};

restriction& open_to(dispatcher_world& w, const dispatcher_world::names& some) {
  auto& result = w.only_on(some);
  result.open = true;
  return result;
}

void change(dispatcher_world& w, restriction& where,
            const std::vector<std::uint64_t>& only) {
  std::vector<worker_number> numbers;
  for (auto each : only)
    numbers.push_back(worker_number{each});
  w.pool.changed(where, numbers);
}

} // namespace

// -- how waiting tasks end ----------------------------------------------------

TEST_CASE("a task fails when the last worker that may run it leaves, or if "
          "all have left before") {
  dispatcher_world w;
  w.does("join, join");
  auto& where = w.only_on({0});
  for (auto i = 0; i < 3; ++i)
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
  CHECK(w.submit_to(where) == "end 3: failed, the worker is not running");
  w.leave(1);
  CHECK(w.submit_to(where) == "end 4: failed, the worker is not running");
  CHECK(w.does("submit, join") == "send 5 to 2");
}

TEST_CASE("a task that any worker may run is the next one after all workers "
          "have left") {
  dispatcher_world w;
  w.does("join, submit");
  w.submit_to(w.only_on({0}));
  w.submit();
  CHECK(w.leave(0) == "end 1: failed, the worker is not running");
  CHECK(w.pool.next_waiting(w.now) == &w.tasks[2]);
}

// -- restrictions whose workers change ----------------------------------------

TEST_CASE("a task whose changeable set of permitted workers is empty waits, "
          "and other tasks overtake it") {
  for (auto when : both) {
    dispatcher_world w{{}, when};
    auto& where = open_to(w, {});
    w.join();
    CHECK(w.submit_to(where) == "");
    CHECK(w.pool.held() == 1);
    CHECK(w.submit() == "send 1 to 0");
    CHECK(w.finish(1) == "end 1: completed");
    change(w, where, {1});
    CHECK(w.join() == "send 0 to 1");
    CHECK(w.pool.held() == 0);
  }
}

TEST_CASE("a task does not go to a worker that was removed from its changeable "
          "set of permitted workers") {
  dispatcher_world w;
  auto& where = open_to(w, {0});
  w.join();
  w.submit_to(where);
  w.submit_to(where);
  change(w, where, {});
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.pool.held() == 1);
  change(w, where, {1});
  CHECK(w.join() == "send 1 to 1");
}

TEST_CASE("tasks with a changeable set of permitted workers wait when all "
          "workers of the set have left") {
  for (auto when : both) {
    dispatcher_world w{{}, when};
    auto& where = open_to(w, {0});
    w.does("join, join");
    for (auto i = 0; i < 3; ++i)
      w.submit_to(where);
    w.does("finish 0, start 1, retire 0, finish 1");
    CHECK(w.pool.held() == 1);
    CHECK(w.pool.books().waiting == 1);
    change(w, where, {2});
    CHECK(w.join() == "send 2 to 2");
  }
}

TEST_CASE("a changeable set of permitted workers may change between many and "
          "few workers while tasks wait") {
  dispatcher_world w;
  auto& where = open_to(w, {});
  w.submit_to(where);
  std::vector<std::uint64_t> many(50);
  std::iota(many.begin(), many.end(), std::uint64_t{10});
  change(w, where, many);
  change(w, where, {7});
  change(w, where, many);
  change(w, where, {0});
  CHECK(w.join() == "send 0 to 0");
}

TEST_CASE("an idle worker that is added to the permitted workers of waiting "
          "tasks takes over some of these tasks") {
  auto how = test::composed(assignment::eager, false);
  how.stealing = std::make_unique<libpool::cost_aware_stealing>(
    libpool::cost_aware_options{});
  dispatcher_world w{std::move(how)};
  w.does("join, join");
  auto& where = open_to(w, {0});
  for (auto i = 0; i < 4; ++i) {
    auto& task = w.add();
    task.own_notes().where = &where;
    task.own_notes().estimate = std::chrono::milliseconds{100};
    w.submit(task);
  }
  CHECK(w.workers[1].in_flight == 0);
  change(w, where, {0, 2});
  w.join();
  CHECK(w.workers[2].in_flight > 0);
  CHECK(w.workers[1].in_flight == 0);
}

// -- tasks that are restricted later, or fail ---------------------------------

TEST_CASE("a task that a worker has given back unhandled may be restricted to "
          "other workers") {
  for (auto when : both) {
    dispatcher_world w{{}, when};
    auto& where = w.only_on({1});
    w.does("join, join, submit");
    w.pool.unhandled(w.tasks[0], w.now);
    w.pool.restricted(w.tasks[0], where);
    CHECK(w.decided() == "send 0 to 1");
  }
}

TEST_CASE("a task fails if it is restricted to workers that have left, even if "
          "all other workers are busy") {
  for (auto busy : {false, true}) {
    CAPTURE(busy);
    dispatcher_world w;
    auto& where = w.only_on({1});
    w.does("join, join, leave 1, submit");
    if (busy)
      w.submit();
    else
      w.pool.unhandled(w.tasks[0], w.now);
    w.pool.restricted(w.tasks.back(), where);
    CHECK(w.decided()
          == "end " + w.name_of(&w.tasks.back())
               + ": failed, the worker is not running");
  }
}

TEST_CASE("the dispatcher can fail a waiting task with a given reason, but not "
          "a task that was sent") {
  dispatcher_world w;
  w.does("join, submit 2");
  w.pool.failed(w.tasks[1], errc::unreadable, w.now);
  w.pool.failed(w.tasks[0], errc::unreadable, w.now);
  CHECK(w.decided()
        == "end 1: failed, the content cannot be read from the received bytes");
  CHECK(w.finish(0) == "end 0: completed");
}

} // namespace dispatcher_restrictions_tests
