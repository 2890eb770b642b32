/// How tasks that are held for particular workers take their turns.

#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/priority.hpp"
#include "support/dispatcher_world.hpp"
#include "support/held_task.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

using libpool::assignment;
using test::dispatcher_world;
using test::hold_one;

namespace {

/// The priority of a waiting task grows by 1 every 2 ms.
struct aging_world : dispatcher_world {
  aging_world() : dispatcher_world(composed()) {
    // nop
  }

  std::string submit_level(std::int64_t level) {
    auto& task = tasks.emplace_back();
    task.priority = level;
    return submit(task);
  }

private:
  static libpool::composition composed() {
    auto result = test::composed(assignment::lazy, false);
    result.order = std::make_unique<libpool::priority>(
      libpool::priority_options{std::chrono::milliseconds{2}});
    return result;
  }
};

} // namespace

// -- held tasks do not delay other tasks --------------------------------------

TEST_CASE(
  "a task that waits for its permitted worker does not delay other tasks") {
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

TEST_CASE("later tasks overtake a restricted task only until its permitted "
          "worker joins") {
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

TEST_CASE(
  "urgent tasks are sent first among the tasks that wait for the same worker") {
  dispatcher_world w;
  auto& where = hold_one(w);
  auto& urgent = w.tasks.emplace_back();
  urgent.urgent = true;
  urgent.where = &where;
  CHECK(w.submit(urgent) == "");
  CHECK(w.join(2) == "send 1 to 2; send 0 to 2");
}

TEST_CASE(
  "tasks that wait for the same worker are sent in the order of acceptance") {
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

TEST_CASE("if the first of several tasks for a new worker is cancelled, the "
          "worker gets the next task") {
  dispatcher_world w;
  auto& where = hold_one(w);
  w.submit_to(where);
  w.dispatches = false;
  w.join();
  CHECK_FALSE(w.tasks[0].held);
  CHECK(w.tasks[1].held);
  CHECK(w.cancel(0) == "end 0: cancelled, the client has ended");
  CHECK_FALSE(w.tasks[1].held);
  CHECK(w.dispatch() == "send 1 to 2");
}

TEST_CASE("tasks that wait for overlapping sets of permitted workers are sent "
          "in the order of arrival") {
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

TEST_CASE("a worker gets the oldest task that it may run, even if other "
          "workers may also run the task") {
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

TEST_CASE("a task that waits for several permitted workers goes to the first "
          "of them that joins") {
  for (auto comes : {1, 3, 5}) {
    dispatcher_world w;
    w.join();
    w.submit_to(w.only_on({1, 3, 5}));
    auto& worker = w.workers.emplace_back();
    worker.number = libpool::worker_number{static_cast<std::uint64_t>(comes)};
    w.pool.joined(worker, w.now);
    CHECK(w.decided() == "send 0 to 1");
    CHECK(w.restrictions[0].held.empty());
    w.submit_to(w.restrictions[0]);
    CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
  }
}

TEST_CASE("tasks that wait for their permitted worker are sent by priority if "
          "the order uses priorities") {
  auto how = test::composed(assignment::lazy, false);
  how.order = std::make_unique<libpool::priority>();
  dispatcher_world w{std::move(how)};
  w.join();
  auto& where = w.only_on({1});
  for (auto level : {1, 3, 2}) {
    auto& task = w.tasks.emplace_back();
    task.priority = level;
    task.where = &where;
    CHECK(w.submit(task) == "");
  }
  CHECK(w.join(2) == "send 1 to 1; send 2 to 1");
  auto& last = w.tasks.emplace_back();
  last.priority = 4;
  last.where = &where;
  w.submit(last);
  CHECK(w.finish(1) == "end 1: completed; send 3 to 1");
}

TEST_CASE(
  "the priority of a waiting task grows with its age if the order ages tasks") {
  aging_world w;
  w.at(3);
  w.submit_level(0);
  w.at(9);
  w.submit_level(1);
  w.submit_level(4);
  CHECK(w.pool.is_timed());
  CHECK(w.join(3) == "send 2 to 0; send 0 to 0; send 1 to 0");
}

TEST_CASE("a task that a worker returns keeps the priority that it has gained "
          "by waiting") {
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

TEST_CASE("a restricted task waits until its paused worker is resumed") {
  dispatcher_world w;
  w.join();
  w.join();
  w.pause(0);
  CHECK(w.submit_to(w.only_on({0})) == "");
  CHECK(w.tasks[0].held);
  CHECK(w.resume(1) == "");
  CHECK(w.resume(0) == "send 0 to 0");
}

TEST_CASE(
  "a restricted task waits until its worker has cooled down after a crash") {
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

TEST_CASE("a restricted task waits while its worker hangs") {
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
