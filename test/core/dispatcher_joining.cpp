/// Tasks that share runs: batches, and tasks that ask for the same result.

#include "support/dispatcher_world.hpp"

#include "libpool/policies/order/priority.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace dispatcher_joining_tests {

using libpool::joint_rule;
using std::chrono::milliseconds;
using test::dispatcher_world;

namespace {

libpool::limits sharing(const joint_rule& rule, unsigned retries = 0) {
  libpool::limits result;
  result.joint = rule;
  result.retries = retries;
  return result;
}

joint_rule same(bool joins_running = false) {
  joint_rule result;
  result.joins_running = joins_running;
  return result;
}

joint_rule batches(std::size_t most, int wait_ms = 0) {
  joint_rule result;
  result.most = most;
  result.wait = milliseconds{wait_ms};
  result.is_batch = true;
  return result;
}

struct world : dispatcher_world {
  using dispatcher_world::dispatcher_world;

  /// A task that may share a run with others of the key.
  libpool::task& add_of(const std::string& key) {
    add().own_notes().run_key = key;
    tasks.back().is_alone = true;
    return tasks.back();
  }

  std::string submit_of(const std::string& key) {
    return submit(add_of(key));
  }

  /// So many tasks of one key come.
  std::string submit_many(std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) {
      auto made = submit_of("a");
      result += (result.empty() || made.empty() ? "" : "; ") + made;
    }
    return result;
  }
};

const std::string gone = "cancelled, the client has ended";

} // namespace

// -- the same result ----------------------------------------------------------

TEST_CASE("tasks of one key that wait share a run, whose end settles all") {
  world w{sharing(same())};
  w.does("join, submit");
  w.submit_of("a");
  w.submit_of("b");
  w.submit_of("a");
  CHECK(w.pool.books().waiting == 3);
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
  CHECK(w.pool.books().sent == 2);
  w.start(1);
  CHECK(w.pool.books().running == 2);
  CHECK(w.finish(1) == "end 3: completed; end 1: completed; send 2 to 0");
  CHECK(w.tasks[3].notes().ran_with == &w.tasks[1]);
  CHECK(w.pool.record().joined == 1);
  CHECK(w.pool.record().all.completed == 2);
}

TEST_CASE("the tasks of a run that has crashed are tried again together") {
  world w{sharing(same(true), 2)};
  w.join();
  w.submit_many(3);
  w.start(0);
  SUBCASE("with their leader") {
    CHECK(w.crash(0) == "send 0 to 0");
    w.start(0);
    CHECK(w.crash(0) == "send 0 to 0");
    CHECK(w.crash(0)
          == "end 1: failed, the task crashed again after its last retry; "
             "end 2: failed, the task crashed again after its last retry; "
             "end 0: failed, the task crashed again after its last retry");
  }
  SUBCASE("without a leader that was cancelled, and not more often") {
    w.crash(0);
    w.start(0);
    w.cancel(0);
    CHECK(w.crash(0) == "release 0; send 1 to 0");
    CHECK(w.pool.books().sent == 2);
    CHECK(w.crash(1)
          == "end 2: failed, the task crashed again after its last retry; "
             "end 1: failed, the task crashed again after its last retry");
  }
}

TEST_CASE("a run has the highest priority of its tasks") {
  libpool::composition by_priority;
  by_priority.order = std::make_unique<libpool::priority>();
  by_priority.placement = std::make_unique<libpool::least_used>();
  world w{std::move(by_priority), sharing(same())};
  w.does("join, submit");
  w.submit_of("a");
  w.add().own_notes().priority = 1;
  w.submit(w.tasks[2]);
  w.add_of("a").own_notes().priority = 2;
  w.submit(w.tasks[3]);
  CHECK(w.finish(0) == "end 0: completed; send 1 to 0");
  SUBCASE("also if it comes back, and if a task with less leads it") {
    w.does("submit");
    w.add_of("a").own_notes().priority = 3;
    w.submit(w.tasks[5]);
    w.add_of("a").own_notes().priority = 1;
    w.submit(w.tasks[6]);
    w.cancel(5);
    CHECK(w.finish(1) == "end 3: completed; end 1: completed; send 6 to 0");
  }
}

TEST_CASE("a task that a handler of the pool waits for runs alone") {
  world w{sharing(same(true))};
  w.join(2);
  w.submit_of("a");
  w.start(0);
  w.add_of("a").own_notes().asker = &w.tasks[0];
  CHECK(w.submit(w.tasks[1]) == "send 1 to 0");
}

// -- batches ------------------------------------------------------------------

TEST_CASE(
  "a batch is sent when it is full, or when its first task has waited") {
  world w{sharing(batches(3, 10))};
  w.join(3);
  CHECK(w.submit_many(2) == "");
  CHECK(w.pool.runs().held() == 1);
  CHECK(w.pool.retrying() == 0);
  CHECK(w.submit_of("a") == "send 0 to 0");
  CHECK(w.submit_of("a") == "");
  CHECK(w.pool.next_tick() == w.moment(10));
  CHECK(w.at(10) == "send 3 to 0");
  CHECK(w.submit_of("a") == "");
  CHECK(w.close() == "send 4 to 0");
}

TEST_CASE("a batch that is too large in bytes is not made") {
  auto rule = batches(9, 10);
  rule.bytes = 10;
  world w{sharing(rule)};
  w.join(9);
  for (auto bytes : {4, 4, 4, 6, 11}) {
    w.add_of("a").own_notes().bytes = static_cast<std::size_t>(bytes);
    w.submit(w.tasks.back());
  }
  CHECK(w.pool.books().sent == 5);
  CHECK(w.pool.record().joined == 2);
}

TEST_CASE("only tasks of one flow, priority, home and restriction share a "
          "batch") {
  world w{sharing(batches(9, 10))};
  w.join(9);
  w.submit_of("a");
  w.add_of("a").flow = libpool::flow_ref{7};
  w.submit(w.tasks.back());
  w.add_of("a").own_notes().priority = 1;
  w.submit(w.tasks.back());
  w.add_of("a").own_notes().home = libpool::worker_number{0};
  w.submit(w.tasks.back());
  w.add_of("a").own_notes().where = &w.only_on({0});
  w.submit(w.tasks.back());
  CHECK(w.pool.record().joined == 0);
  w.submit_of("a");
  CHECK(w.pool.record().joined == 1);
}

TEST_CASE("no task joins a run whose leader may no longer run where the task "
          "may") {
  world w{sharing(same())};
  w.does("join 2, submit 2");
  w.submit_of("a");
  w.pool.restricted(w.tasks[2], w.only_on({0}));
  w.submit_of("a");
  CHECK(w.pool.record().joined == 0);
  w.submit_of("a");
  CHECK(w.pool.record().joined == 1);
}

TEST_CASE("the tasks of a batch fail after a crash if they may not run again") {
  SUBCASE("none may") {
    world w{sharing(batches(2, 10))};
    w.join();
    w.submit_many(2);
    CHECK(w.crash(0)
          == "end 1: failed, a worker crashed; "
             "end 0: failed, a worker crashed");
  }
  SUBCASE("some may") {
    world w{sharing(batches(4, 10), 1)};
    w.join();
    for (auto repeatable : {false, true, false, true}) {
      w.add_of("a").repeatable = repeatable;
      w.submit(w.tasks.back());
    }
    CHECK(w.crash(0)
          == "end 2: failed, a worker crashed; "
             "end 0: failed, a worker crashed; send 1 to 0");
    CHECK(w.finish(1) == "end 1: completed; send 3 to 0");
  }
  SUBCASE("the first one was cancelled") {
    world w{sharing(batches(4, 10), 1)};
    w.join();
    w.submit_many(4);
    w.start(0);
    w.cancel(0);
    CHECK(w.crash(0) == "release 0; send 1 to 0");
    CHECK(w.finish(1) == "end 1: completed; send 2 to 0");
    CHECK(w.finish(2) == "end 3: completed; end 2: completed");
  }
}

TEST_CASE("an abandoned pool fails the tasks of a run that comes back") {
  world w{sharing(batches(3, 10), 1)};
  w.join();
  w.submit_many(3);
  w.abandon();
  w.leave(0);
  CHECK(w.come_back(0)
        == "end 0: failed, the pool has no workers; "
           "end 2: failed, the pool has no workers; "
           "end 1: failed, the pool has no workers; dismiss 0");
}

} // namespace dispatcher_joining_tests
