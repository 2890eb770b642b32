/// Restrictions whose workers change, and tasks that are restricted or failed
/// while they wait.

#include "libpool/core/dispatcher.hpp"
#include "support/cost_aware_world.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace dispatcher_open_tests {

using libpool::assignment;
using libpool::errc;
using libpool::restriction;
using libpool::worker_number;
using test::cost_aware_world;
using test::dispatcher_world;

namespace {

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

TEST_CASE("a task whose changeable set of permitted workers is empty waits, "
          "and other tasks overtake it") {
  for (auto when : {assignment::lazy, assignment::eager}) {
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
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    auto& where = open_to(w, {0});
    w.join();
    w.join();
    w.submit_to(where);
    w.submit_to(where);
    CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
    w.submit_to(where);
    w.retire(0);
    w.finish(1);
    CHECK(w.pool.held() == 1);
    CHECK(w.pool.books().waiting == 1);
    change(w, where, {2});
    CHECK(w.join() == "send 2 to 2");
  }
}

TEST_CASE("a task whose changeable set of permitted workers is empty fails "
          "when no worker will join soon") {
  dispatcher_world w;
  w.submit_to(open_to(w, {}));
  CHECK(w.desert() == "end 0: failed, the pool has no workers");
}

TEST_CASE("a changeable set of permitted workers may change between many and "
          "few workers while tasks wait") {
  dispatcher_world w;
  auto& where = open_to(w, {});
  w.submit_to(where);
  std::vector<std::uint64_t> many;
  for (std::uint64_t i = 10; i < 60; ++i)
    many.push_back(i);
  change(w, where, many);
  change(w, where, {7});
  change(w, where, many);
  change(w, where, {0});
  CHECK(w.join() == "send 0 to 0");
}

TEST_CASE("an idle worker that is added to the permitted workers of waiting "
          "tasks takes over some of these tasks") {
  cost_aware_world w;
  w.join_all(2);
  auto& where = open_to(w, {0});
  for (auto i = 0; i < 4; ++i) {
    auto& task = w.add(0, 100);
    task.where = &where;
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
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    auto& where = w.only_on({1});
    w.join();
    w.join();
    w.submit();
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
    w.join();
    w.join();
    w.leave(1);
    w.submit();
    if (busy)
      w.submit();
    auto& task = w.tasks.back();
    if (!busy)
      w.pool.unhandled(task, w.now);
    w.pool.restricted(task, where);
    CHECK(w.decided()
          == "end " + w.name_of(&task) + ": failed, the worker is not running");
  }
}

TEST_CASE("the dispatcher can fail a waiting task with a given reason, but not "
          "a task that was sent") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit();
  w.pool.failed(w.tasks[1], errc::unreadable, w.now);
  w.pool.failed(w.tasks[0], errc::unreadable, w.now);
  CHECK(w.decided()
        == "end 1: failed, the content cannot be read from the received bytes");
  CHECK(w.finish(0) == "end 0: completed");
}

} // namespace dispatcher_open_tests
