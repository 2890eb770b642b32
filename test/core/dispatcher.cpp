/// The life of a task. That the dispatcher keeps its laws for any sequence of
/// events is tested in test/laws.

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

using libpool::errc;
using libpool::limits;
using libpool::overflow;
using test::dispatcher_world;
using namespace std::chrono_literals;

namespace {

constexpr auto no_limit = static_cast<std::size_t>(-1);

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

TEST_CASE("the record of a worker counts the tasks of the worker and adds up "
          "their times") {
  dispatcher_world w;
  w.does("join, submit 3, at 10, start 0, at 14, finish 0, start 1, at 20, "
         "finish 1, start 2, at 21, crash 2");
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
  CHECK(all.errors[errc::worker_crashed] == 1);
}

TEST_CASE(
  "the service time of a task that starts twice counts from its second start") {
  dispatcher_world w;
  CHECK(w.does("join, submit, start 0, at 5, start 0, at 7, finish 0")
        == "send 0 to 0; end 0: completed");
  CHECK(w.workers[0].record.busy == 2ms);
  CHECK(w.workers[0].record.waited == 5ms);
}

// -- refusal ------------------------------------------------------------------

TEST_CASE("a closed pool refuses new tasks for the first reason, and completes "
          "the tasks that it has accepted") {
  dispatcher_world w;
  w.submit();
  w.close();
  w.pool.closed(errc::no_workers);
  CHECK(w.submit() == "end 1: refused, the pool is closed");
  CHECK(w.does("join, finish 0") == "send 0 to 0; end 0: completed");
}

// -- cancellation and deadlines -----------------------------------------------

TEST_CASE("a waiting task is cancelled at once, a sent task is first recalled, "
          "and the client of a running task is answered at once") {
  dispatcher_world w;
  w.does("join, submit 3");
  CHECK(w.cancel(1) == "end 1: cancelled, the client has ended");
  CHECK(w.cancel(0) == "recall 0 from 0");
  CHECK(w.cancel(0) == "");
  CHECK(w.does("return 0, start 2")
        == "end 0: cancelled, the client has ended; send 2 to 0");
  CHECK(w.cancel(2) == "settle 2: cancelled, the client has ended; give up 2");
  CHECK(w.does("cancel 2, submit") == "");
  CHECK(w.crash(2) == "release 2; send 3 to 0");
  CHECK(w.cancel(3) == "recall 3 from 0");
  CHECK(w.start(3) == "settle 3: cancelled, the client has ended; give up 3");
  CHECK(w.does("return 3, finish 3") == "release 3");
  CHECK(counts_of(w) == counts{0, 0, 0, 0, 0, 0, 4});
}

// -- crashes ------------------------------------------------------------------

TEST_CASE("a task that crashes its worker is retried before later tasks, as "
          "often as the limits allow") {
  struct row {
    unsigned retries;
    unsigned poison_after;
    std::size_t runs;
    std::string reason;
  };
  for (const auto& each :
       {row{0, 0, 1, "a worker crashed"},
        row{2, 0, 3, "the task crashed again after its last retry"},
        row{9, 2, 2, "the task crashed too many workers"},
        row{1, 3, 2, "the task crashed again after its last retry"}}) {
    CAPTURE(each.retries);
    dispatcher_world w{
      {no_limit, overflow::refuse, each.retries, each.poison_after}};
    w.does("join, submit 2");
    for (std::size_t i = 1; i < each.runs; ++i)
      CHECK(w.crash(0) == "send 0 to 0");
    CHECK(w.crash(0) == "end 0: failed, " + each.reason + "; send 1 to 0");
    CHECK(w.pool.record().retries == each.runs - 1);
  }
}

TEST_CASE("an interrupted task runs again, and the interruption is not counted "
          "as a crash") {
  dispatcher_world w{{no_limit, overflow::refuse, 0, 1}};
  w.does("join, join, submit, start 0, leave 0");
  CHECK(w.interrupt(0) == "dismiss 0; send 0 to 1");
  CHECK(w.workers[0].record.failed == 0);
  CHECK(w.crash(0) == "end 0: failed, the task crashed too many workers");
}

// -- a pool without workers ---------------------------------------------------

TEST_CASE("when no further worker will join, tasks fail that wait, come back "
          "or crash, and a task at a worker can still complete") {
  dispatcher_world w{{no_limit, overflow::refuse, 5}};
  w.does("join, join, join, submit 3, urgent, submit");
  CHECK(w.abandon()
        == "end 3: failed, the pool has no workers; "
           "end 4: failed, the pool has no workers");
  CHECK(w.abandon() == "");
  CHECK(w.submit() == "end 5: refused, the pool has no workers");
  CHECK(w.come_back(0) == "end 0: failed, the pool has no workers; dismiss 0");
  CHECK(w.crash(1) == "end 1: failed, a worker crashed");
  CHECK(w.finish(2) == "end 2: completed");
}

TEST_CASE("the destructor of a dispatcher removes all tasks and workers from "
          "its lists") {
  std::deque<libpool::restriction> restrictions(2);
  std::deque<libpool::task> tasks(5);
  std::deque<libpool::worker> workers(2);
  {
    libpool::dispatcher pool{test::composed(libpool::assignment::lazy, false),
                             {9, overflow::drop_oldest}};
    workers[1].number = libpool::worker_number{1};
    for (auto& worker : workers)
      pool.joined(worker, libpool::instant{});
    for (auto& where : restrictions)
      where.only.push_back(libpool::worker_number{3});
    tasks[0].own_notes().where = &restrictions[0];
    tasks[1].own_notes().where = &restrictions[1];
    for (auto& task : tasks) {
      task.deadline = libpool::instant{1ms};
      pool.submitted(task, libpool::instant{});
    }
    pool.dispatch(libpool::instant{});
    CHECK(is_held(tasks[1]));
  }
  for (auto& task : tasks) {
    auto is_in_mailbox = task.is == libpool::task::condition::sent;
    CHECK(task.list_hook.is_linked() == is_in_mailbox);
    CHECK(task.line_slot == libpool::task::in_no_heap);
    CHECK(task.due_slot == libpool::task::in_no_heap);
    CHECK(task.age_slot == libpool::task::in_no_heap);
  }
  for (auto& worker : workers) {
    CHECK_FALSE(worker.placement_hook.is_linked());
    CHECK(worker.heap_slot == libpool::worker::in_no_heap);
  }
  for (auto& where : restrictions)
    CHECK(where.held.empty());
}
