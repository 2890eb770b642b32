#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"
#include "support/held_task.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>

namespace dispatcher_held_tests {

using libpool::assignment;
using libpool::instant;
using libpool::limits;
using libpool::overflow;
using libpool::restriction;
using libpool::task;
using libpool::worker;
using test::dispatcher_world;
using test::eager_world;
using test::hold_one;

namespace {

constexpr auto no_limit = static_cast<std::size_t>(-1);

limits room_for(std::size_t capacity, overflow then = overflow::refuse) {
  return {capacity, then};
}

} // namespace

// -- how waiting tasks end ----------------------------------------------------

TEST_CASE("a task that waits for its permitted worker is settled at once when "
          "it is cancelled") {
  dispatcher_world w;
  auto& where = hold_one(w);
  w.submit_to(where);
  CHECK(w.cancel(0) == "end 0: cancelled, the client has ended");
  CHECK_FALSE(w.tasks[0].held);
  CHECK_FALSE(w.tasks[0].place_hook.is_linked());
  CHECK(w.join(2) == "send 1 to 2");
}

TEST_CASE("new tasks can wait for the same permitted workers after all earlier "
          "ones were cancelled") {
  dispatcher_world w;
  auto& where = hold_one(w);
  w.cancel(0);
  w.submit_to(where);
  CHECK(w.tasks[1].held);
  CHECK(w.join() == "send 1 to 2");
}

TEST_CASE(
  "a task that waits for its permitted worker is cancelled at its deadline") {
  dispatcher_world w;
  w.join();
  auto& task = w.tasks.emplace_back();
  task.deadline = dispatcher_world::moment(5);
  task.where = &w.only_on({3});
  CHECK(w.submit(task) == "");
  CHECK(w.pool.next_tick() == dispatcher_world::moment(5));
  CHECK(w.at(5) == "end 0: cancelled, the deadline has passed");
  CHECK(w.pool.next_tick() == libpool::never);
}

TEST_CASE("tasks that wait for their permitted workers count against the "
          "capacity of the pool") {
  dispatcher_world w{room_for(1)};
  auto& where = hold_one(w);
  CHECK(w.submit_to(where) == "end 1: refused, the queue is full");
  CHECK(w.submit_to(w.best_on({2})) == "send 2 to 0");
  CHECK(w.submit() == "send 3 to 1");
  CHECK(w.submit() == "end 4: refused, the queue is full");
  CHECK(w.join() == "send 0 to 2");
  CHECK(w.submit_to(where) == "");
}

TEST_CASE("a full pool accepts a restricted task only if a permitted worker "
          "gets the task at once") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{room_for(1), when};
    hold_one(w);
    w.dispatches = false;
    CHECK(w.submit_to(w.only_on({1})) == "");
    CHECK(w.dispatch() == "send 1 to 1");
    CHECK(w.submit_to(w.only_on({1})) == "end 2: refused, the queue is full");
    CHECK(w.submit_to(w.only_on({0, 1})) == "");
    CHECK(w.dispatch() == "send 3 to 0");
  }
}

TEST_CASE("a full pool accepts a task with a home worker only if this worker "
          "gets the task at once") {
  eager_world w{room_for(0)};
  w.join();
  w.join();
  CHECK(w.submit_home(1) == "send 0 to 1");
  CHECK(w.submit_home(1) == "end 1: refused, the queue is full");
  CHECK(w.submit_home(0) == "send 2 to 0");
}

TEST_CASE(
  "a pool with capacity 0 refuses tasks while its only worker is paused") {
  eager_world w{room_for(0)};
  w.join();
  w.pause(0);
  CHECK(w.submit() == "end 0: refused, the queue is full");
  CHECK(w.submit_to(w.only_on({0})) == "end 1: refused, the queue is full");
}

TEST_CASE("a full pool drops the oldest task even if the task waits for its "
          "permitted worker") {
  dispatcher_world w{room_for(2, overflow::drop_oldest)};
  auto& where = hold_one(w);
  w.submit_to(where);
  CHECK(w.submit_to(where) == "end 0: cancelled, the queue is full");
  CHECK(w.submit() == "send 3 to 0");
  CHECK(w.join(2) == "send 1 to 2; send 2 to 2");
}

TEST_CASE("tasks that wait for different permitted workers fail when no worker "
          "will join soon or ever") {
  for (auto abandoned : {false, true}) {
    dispatcher_world w;
    w.join();
    auto& first = w.only_on({1, 2, 4});
    auto& other = w.only_on({2});
    w.submit_to(other);
    w.submit_to(first);
    w.submit_to(first);
    w.submit();
    w.submit();
    CHECK((abandoned ? w.abandon() : w.desert())
          == "end 0: failed, the pool has no workers; "
             "end 1: failed, the pool has no workers; "
             "end 2: failed, the pool has no workers; "
             "end 4: failed, the pool has no workers");
    CHECK(first.held.empty());
    CHECK(other.held.empty());
    CHECK(w.join(9) == "");
  }
}

TEST_CASE(
  "a closed pool still sends a waiting task when its permitted worker joins") {
  dispatcher_world w;
  auto& where = hold_one(w);
  w.close();
  CHECK(w.submit_to(where) == "end 1: refused, the pool is closed");
  CHECK(w.join() == "send 0 to 2");
}

TEST_CASE(
  "a task that no worker may run fails when no worker will join soon or ever") {
  for (auto abandoned : {false, true}) {
    dispatcher_world w;
    w.join();
    auto& no_worker = w.only_on({});
    w.submit_to(no_worker);
    w.submit_to(no_worker);
    CHECK(w.submit() == "send 2 to 0");
    CHECK((abandoned ? w.abandon() : w.desert())
          == "end 0: failed, the pool has no workers; "
             "end 1: failed, the pool has no workers");
  }
}

TEST_CASE("the destructor of a dispatcher removes tasks that wait for "
          "permitted workers from its lists") {
  std::deque<restriction> restrictions(2);
  restrictions[0].only.push_back(libpool::worker_number{3});
  restrictions[1].only.push_back(libpool::worker_number{3});
  std::deque<task> tasks(3);
  worker worker;
  {
    libpool::dispatcher pool{test::composed(assignment::lazy, false),
                             {9, overflow::drop_oldest}};
    pool.joined(worker, instant{});
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      tasks[i].where = &restrictions[i / 2];
      pool.submitted(tasks[i], instant{});
    }
    pool.dispatch(instant{});
    CHECK(tasks[2].held);
  }
  for (auto& task : tasks) {
    CHECK_FALSE(task.place_hook.is_linked());
    CHECK_FALSE(task.age_hook.is_linked());
  }
  for (auto& where : restrictions)
    where.held.clear(); // so that the tasks can be destroyed in any case
}

// -- tasks that come back -----------------------------------------------------

TEST_CASE(
  "a task that crashes its worker is retried on its only permitted worker") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{no_limit, overflow::refuse, 2}, when};
    auto& where = w.only_on({0});
    w.join();
    w.join();
    w.submit_to(where);
    w.submit_to(where);
    CHECK(w.crash(0) == "send 0 to 0");
    CHECK(w.crash(0) == "send 0 to 0");
    CHECK(w.crash(0)
          == "end 0: failed, the task crashed again after its last retry; send "
             "1 to 0");
  }
}

TEST_CASE("a task that a worker returns goes to another permitted worker "
          "before tasks accepted later") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    dispatcher_world w{{}, when};
    auto& where = w.only_on({0, 1});
    w.join();
    w.submit_to(where);
    w.submit_to(where);
    CHECK(w.come_back(0) == "dismiss 0");
    CHECK(w.join(2) == "send 0 to 1; send 1 to 1");
  }
}

TEST_CASE("a task that a worker returns is sent before later tasks that wait "
          "for the same permitted workers") {
  dispatcher_world w;
  auto& where = w.only_on({0, 2});
  w.join();
  w.join();
  w.submit_to(where);
  w.submit_to(where);
  w.submit_to(where);
  CHECK(w.tasks[1].held);
  CHECK(w.come_back(0) == "dismiss 0");
  CHECK(w.tasks[0].held);
  CHECK(w.join(2) == "send 0 to 2; send 1 to 2");
}

TEST_CASE(
  "a task assigned to a leaving worker waits for another permitted worker") {
  eager_world w;
  auto& where = w.only_on({0, 2});
  w.join();
  w.join();
  for (auto i = 0; i < 3; ++i)
    w.submit_to(where);
  w.start(0);
  CHECK(w.retire(0) == "");
  CHECK(w.pool.books().waiting == 2);
  CHECK(w.workers[1].in_flight == 0);
  CHECK(w.join(2) == "send 1 to 2; send 2 to 2");
}

TEST_CASE("a task assigned to its only permitted worker waits while that "
          "worker hangs") {
  eager_world w;
  auto& where = w.only_on({0});
  w.join();
  w.join();
  w.submit_due(20);
  w.submit_to(where);
  w.start(0);
  CHECK(w.at(20) == "settle 0: cancelled, the deadline has passed");
  CHECK(w.tasks[1].held);
  CHECK(w.finish(0) == "release 0; send 1 to 0");
}

TEST_CASE("restricted tasks fail when their only permitted worker leaves and "
          "no further worker will join") {
  eager_world w;
  auto& where = w.only_on({0});
  w.join();
  w.submit_to(where);
  w.submit_to(where);
  w.abandon();
  CHECK(w.leave(0) == "end 1: failed, the pool has no workers");
  CHECK(w.come_back(0) == "end 0: failed, the pool has no workers; dismiss 0");
}

// -- one worker of many -------------------------------------------------------

TEST_CASE(
  "when a worker joins, tasks that wait for other workers continue to wait") {
  dispatcher_world w;
  hold_one(w);
  w.submit_to(w.only_on({3}));
  w.submit_to(w.only_on({1, 3}));
  w.dispatches = false;
  w.join();
  CHECK_FALSE(w.tasks[0].held);
  CHECK(w.tasks[1].held);
}

TEST_CASE("tasks wait for their permitted workers whether few or many workers "
          "are permitted") {
  for (std::size_t named : {2U, 16U, 17U, 40U}) {
    CAPTURE(named);
    dispatcher_world w;
    std::vector<std::size_t> some;
    for (std::size_t i = 1; i <= named; ++i)
      some.push_back(i);
    auto& where = w.only_on(some);
    w.join();
    CHECK(w.submit_to(where) == "");
    CHECK(w.submit_to(where) == "");
    CHECK(w.submit() == "send 2 to 0");
    CHECK(w.pool.held() == 2);
    CHECK(w.join() == "send 0 to 1");
    CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
    CHECK(w.submit_to(where) == "");
    CHECK(w.desert() == "end 3: failed, the pool has no workers");
  }
}

} // namespace dispatcher_held_tests
