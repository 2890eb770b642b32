#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <vector>

using libpool::errc;
using test::dispatcher_world;
using namespace std::chrono_literals;

namespace {

/// waiting, assigned, sent, running, completed, failed, cancelled
using counts = std::vector<std::uint64_t>;

counts counts_of(const dispatcher_world& w) {
  const auto& b = w.pool.books();
  CHECK(b.balances());
  return {b.waiting,   b.assigned, b.sent,     b.running,
          b.completed, b.failed,   b.cancelled};
}

} // namespace

TEST_CASE("a task waits for a worker, is sent, runs and completes") {
  dispatcher_world w;
  CHECK(w.submit() == "");
  CHECK(counts_of(w) == counts{1, 0, 0, 0, 0, 0, 0});
  CHECK(w.join() == "send 0 to 0");
  CHECK(counts_of(w) == counts{0, 0, 1, 0, 0, 0, 0});
  CHECK(w.start(0) == "");
  CHECK(counts_of(w) == counts{0, 0, 0, 1, 0, 0, 0});
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(counts_of(w) == counts{0, 0, 0, 0, 1, 0, 0});
  CHECK(w.pool.books().accepted == 1);
}

TEST_CASE("the dispatcher settles a task before it releases the task") {
  dispatcher_world w;
  w.dispatches = false;
  w.submit();
  w.abandon();
  w.pool.submitted(w.tasks.emplace_back(), w.now);
  auto& made = w.pool.decisions();
  REQUIRE(made.size() == 2);
  CHECK(made[0].is == libpool::decision::kind::settle);
  CHECK(made[1].is == libpool::decision::kind::release);
}

TEST_CASE("the idle worker that was chosen least recently gets the next task") {
  dispatcher_world w;
  w.join();
  w.join();
  w.join();
  CHECK(w.submit() == "send 0 to 0");
  CHECK(w.submit() == "send 1 to 1");
  w.finish(0);
  CHECK(w.submit() == "send 2 to 2");
  w.finish(2);
  w.finish(1);
  CHECK(w.submit() == "send 3 to 0");
  CHECK(w.submit() == "send 4 to 1");
  CHECK(w.submit() == "send 5 to 2");
}

TEST_CASE("tasks are sent in the order in which they were accepted") {
  dispatcher_world w;
  w.join();
  for (auto i = 0; i < 4; ++i)
    w.submit();
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
  CHECK(w.finish(1) == "end 1: completed; send 2 to 0");
  CHECK(w.finish(2) == "end 2: completed; send 3 to 0");
}

TEST_CASE("urgent tasks are sent before other tasks, and each group in the "
          "order of acceptance") {
  dispatcher_world w;
  w.submit();
  w.submit_urgent();
  w.submit();
  w.submit_urgent();
  CHECK(w.join(9) == "send 1 to 0; send 3 to 0; send 0 to 0; send 2 to 0");
}

TEST_CASE("the window of a worker limits the number of its tasks, including "
          "the running task") {
  dispatcher_world w;
  w.join(3);
  CHECK(w.submit() == "send 0 to 0");
  CHECK(w.submit() == "send 1 to 0");
  w.start(0);
  CHECK(w.submit() == "send 2 to 0");
  CHECK(w.submit() == "");
  w.start(1);
  CHECK(w.finish(0) == "end 0: completed; send 3 to 0");
}

TEST_CASE(
  "tasks are distributed evenly over workers that accept several tasks each") {
  dispatcher_world w;
  w.join(2);
  w.join(3);
  CHECK(w.submit() == "send 0 to 0");
  CHECK(w.submit() == "send 1 to 1");
  CHECK(w.submit() == "send 2 to 0");
  CHECK(w.submit() == "send 3 to 1");
  CHECK(w.submit() == "send 4 to 1");
  CHECK(w.submit() == "");
}

TEST_CASE("the next tasks go to the worker with the fewest unfinished tasks") {
  dispatcher_world w;
  w.join(3);
  w.join(3);
  for (auto i = 0; i < 4; ++i)
    w.submit();
  w.finish(1);
  w.finish(3);
  CHECK(w.submit() == "send 4 to 1");
  CHECK(w.submit() == "send 5 to 1");
}

TEST_CASE(
  "a task is completed if its end is reported even though its start was not") {
  dispatcher_world w;
  w.join();
  w.submit();
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.workers[0].record.completed == 1);
}

TEST_CASE("a task that a worker returns without being asked is sent again "
          "before tasks accepted later") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit();
  w.submit();
  CHECK(w.come_back(0) == "dismiss 0");
  CHECK(counts_of(w) == counts{3, 0, 0, 0, 0, 0, 0});
  CHECK(w.join(3) == "send 0 to 1; send 1 to 1; send 2 to 1");
}

TEST_CASE("events about an unknown task are ignored") {
  dispatcher_world w;
  w.join();
  w.tasks.emplace_back();
  CHECK(w.start(0) == "");
  CHECK(w.finish(0) == "");
  CHECK(w.crash(0) == "");
  CHECK(w.come_back(0) == "");
  CHECK(w.cancel(0) == "");
  CHECK(counts_of(w) == counts(7));
  CHECK(w.pool.books().accepted == 0);
  CHECK(w.workers[0].record.completed == 0);
}

TEST_CASE("a task that the dispatcher already has can be neither submitted "
          "again nor refused") {
  dispatcher_world w;
  w.submit();
  CHECK(w.submit(w.tasks[0]) == "");
  w.pool.refused(w.tasks[0], errc::cycle);
  CHECK(w.decided() == "");
  CHECK(counts_of(w) == counts{1, 0, 0, 0, 0, 0, 0});
  CHECK(w.pool.books().refused == 0);
}

TEST_CASE("a start, an end or a return that is reported for a waiting task is "
          "ignored") {
  dispatcher_world w;
  w.submit();
  CHECK(w.start(0) == "");
  CHECK(w.finish(0) == "");
  CHECK(w.come_back(0) == "");
  CHECK(counts_of(w) == counts{1, 0, 0, 0, 0, 0, 0});
  CHECK(w.join() == "send 0 to 0");
}

TEST_CASE("a return that is reported for a running task is ignored") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.start(0);
  CHECK(w.come_back(0) == "");
  CHECK(counts_of(w) == counts{0, 0, 0, 1, 0, 0, 0});
  CHECK(w.finish(0) == "end 0: completed");
}

TEST_CASE(
  "the service time of a task that starts twice counts from its second start") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.start(0);
  w.at(5);
  CHECK(w.start(0) == "");
  w.at(7);
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.workers[0].record.busy == 2ms);
  CHECK(w.workers[0].record.waited == 5ms);
}

TEST_CASE(
  "a task that was released may be submitted again, and counts as a new task") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit();
  w.finish(0);
  CHECK(w.submit(w.tasks[0]) == "");
  CHECK(w.tasks[0].number == 3);
  CHECK(w.finish(1) == "end 1: completed; send 0 to 0");
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.pool.books().accepted == 3);
}

TEST_CASE("a task that the caller refuses is settled and released, and is not "
          "counted as accepted") {
  dispatcher_world w;
  w.pool.refused(w.tasks.emplace_back(), errc::cycle);
  CHECK(w.decided() == "end 0: refused, the pool contains itself");
  CHECK(w.pool.books().refused == 1);
  CHECK(w.pool.books().accepted == 0);
}

TEST_CASE("a closed pool refuses new tasks, and completes the tasks that it "
          "has accepted") {
  dispatcher_world w;
  w.submit();
  w.close();
  CHECK(w.submit() == "end 1: refused, the pool is closed");
  CHECK(w.join() == "send 0 to 0");
  CHECK(w.finish(0) == "end 0: completed");
}

TEST_CASE("a pool that is closed twice refuses tasks with the reason of the "
          "first call") {
  dispatcher_world w;
  w.close();
  w.abandon();
  CHECK(w.submit() == "end 0: refused, the pool is closed");
}

TEST_CASE("when no further worker will join, waiting tasks fail, and a task at "
          "a worker can still complete") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit_urgent();
  w.submit();
  CHECK(w.abandon()
        == "end 1: failed, the pool has no workers; "
           "end 2: failed, the pool has no workers");
  CHECK(w.abandon() == "");
  CHECK(w.submit() == "end 3: refused, the pool has no workers");
  CHECK(w.finish(0) == "end 0: completed");
}

TEST_CASE(
  "waiting tasks fail when no worker will join soon, and later tasks wait") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit();
  w.pool.deserted(errc::no_workers, w.now);
  CHECK(w.decided() == "end 1: failed, the pool has no workers");
  CHECK(w.submit() == "");
  CHECK(w.come_back(0) == "dismiss 0");
  CHECK(counts_of(w) == counts{2, 0, 0, 0, 0, 1, 0});
}

TEST_CASE("if no further worker will join, a task that its worker returns or "
          "that crashes its worker fails") {
  dispatcher_world w{{9, libpool::overflow::refuse, 5, 0}};
  w.join();
  w.join();
  w.submit();
  w.submit();
  w.abandon();
  CHECK(w.come_back(0) == "end 0: failed, the pool has no workers; dismiss 0");
  CHECK(w.crash(1) == "end 1: failed, a worker crashed");
}

TEST_CASE("the record of a worker counts the tasks of the worker and adds up "
          "their times") {
  dispatcher_world w;
  w.join();
  w.submit();
  w.submit();
  w.submit();
  w.at(10);
  w.start(0);
  w.at(14);
  w.finish(0);
  w.start(1);
  w.at(20);
  w.finish(1);
  w.start(2);
  w.at(21);
  w.crash(2);
  const auto& record = w.workers[0].record;
  CHECK(record.completed == 2);
  CHECK(record.failed == 1);
  CHECK(record.busy == 11ms);
  CHECK(record.slowest == 6ms);
  CHECK(record.waited == 44ms);
  const auto& all = w.pool.record();
  CHECK(all.waits.count() == 3);
  CHECK(all.waits.percentile(0) >= 10ms);
  CHECK(all.waits.percentile(0) <= 11ms);
  CHECK(all.services.percentile(100) >= 6ms);
  CHECK(all.services.percentile(100) <= 7ms);
  CHECK(all.errors[libpool::errc::worker_crashed] == 1);
}

TEST_CASE("one call of dispatch is enough after several events") {
  dispatcher_world w;
  w.dispatches = false;
  CHECK(w.join() == "");
  CHECK(w.submit() == "");
  CHECK(w.submit_urgent() == "");
  CHECK(w.cancel(0) == "end 0: cancelled, the client has ended");
  CHECK(w.dispatch() == "send 1 to 0");
  CHECK(w.dispatch() == "");
}

TEST_CASE("the destructor of a dispatcher removes all tasks and workers from "
          "its lists") {
  std::deque<libpool::task> tasks(3);
  std::deque<libpool::worker> workers(2);
  {
    libpool::dispatcher pool{test::composed(libpool::assignment::lazy, false),
                             {9, libpool::overflow::drop_oldest}};
    workers[1].number = libpool::worker_number{1};
    for (auto& worker : workers)
      pool.joined(worker, libpool::instant{});
    for (auto& task : tasks) {
      task.deadline = libpool::instant{1ms};
      pool.submitted(task, libpool::instant{});
    }
  }
  for (auto& task : tasks) {
    CHECK_FALSE(task.place_hook.is_linked());
    CHECK_FALSE(task.age_hook.is_linked());
    CHECK_FALSE(task.time_hook.is_linked());
    CHECK_FALSE(task.due_hook.is_linked());
  }
  for (auto& worker : workers) {
    CHECK_FALSE(worker.placement_hook.is_linked());
    CHECK(worker.heap_slot == libpool::worker::in_no_heap);
  }
}
