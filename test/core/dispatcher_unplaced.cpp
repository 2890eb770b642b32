#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/consistent_hash.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dispatcher_unplaced_tests {

using libpool::assignment;
using libpool::instant;
using libpool::limits;
using libpool::overflow;
using libpool::restriction;
using libpool::task;
using libpool::worker;
using test::dispatcher_world;

namespace {

limits room_for(std::size_t capacity, overflow then = overflow::refuse) {
  return {capacity, then};
}

/// Chooses the first offered worker, but no worker for tasks of the key `shut`.
class choosy final : public libpool::placement {
public:
  explicit choosy(const std::optional<std::uint64_t>& shut) : shut_(&shut) {
    // nop
  }

  void offered(worker& worker, instant) noexcept override {
    offered_.push_back(&worker);
  }

  void withdrawn(worker& worker, instant) noexcept override {
    offered_.remove(&worker);
  }

  void assigned(worker&, task&, instant) noexcept override {
    // nop
  }

  void unassigned(worker&, task&, instant) noexcept override {
    // nop
  }

  worker* choose(const task& task, instant) noexcept override {
    auto suits = !task.key || task.key != *shut_;
    return suits && !offered_.empty() ? offered_.front() : nullptr;
  }

  worker* choose_among(const std::vector<worker*>& some, const task&,
                       instant) noexcept override {
    return some.back();
  }

private:
  const std::optional<std::uint64_t>* shut_;
  std::list<worker*> offered_;
};

/// A pool whose placement has no worker for tasks of key 1.
struct choosy_world : dispatcher_world {
  explicit choosy_world(assignment when = assignment::lazy,
                        const limits& within = {})
    : dispatcher_world(composed(when), within) {
    // nop
  }

  std::string submit_key(std::uint64_t key, restriction* where = nullptr) {
    auto& task = tasks.emplace_back();
    task.key = key;
    task.where = where;
    return submit(task);
  }

  std::optional<std::uint64_t> shut{1};

private:
  libpool::composition composed(assignment when) {
    auto result = test::composed(when, false);
    result.placement = std::make_unique<choosy>(shut);
    return result;
  }
};

} // namespace

// -- tasks for which the placement has no worker ------------------------------

TEST_CASE("a task for which no worker is suitable does not delay other tasks") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    choosy_world w{when};
    w.join();
    CHECK(w.submit_key(1) == "");
    CHECK(w.tasks[0].held);
    CHECK(w.submit_key(2) == "send 1 to 0");
    CHECK(w.pool.books().waiting == 1);
  }
}

TEST_CASE("the placement rule is asked again about waiting tasks when a worker "
          "becomes available") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    choosy_world w{when};
    w.join();
    w.submit_key(1);
    w.submit_key(1);
    w.submit_key(1);
    CHECK(w.join() == "");
    w.shut.reset();
    CHECK(w.dispatch() == "");
    CHECK(w.join()
          == (when == assignment::lazy ? "send 0 to 0; send 1 to 1; send 2 to 2"
                                       : "send 0 to 0"));
    CHECK(w.pool.books().waiting == 0);
  }
}

TEST_CASE("the placement rule is asked again about waiting tasks when a worker "
          "has left") {
  for (auto dies : {false, true}) {
    choosy_world w;
    w.join();
    w.join(2);
    w.submit_key(1);
    w.shut.reset();
    CHECK((dies ? w.leave(0) : w.retire(0)) == "dismiss 0; send 0 to 1");
  }
}

TEST_CASE("a task for which no worker is suitable can be cancelled, dropped "
          "and failed") {
  choosy_world w{assignment::lazy, room_for(2, overflow::drop_oldest)};
  w.join();
  w.submit_key(1);
  w.submit_key(1);
  CHECK(w.cancel(1) == "end 1: cancelled, the client has ended");
  w.submit_key(1);
  CHECK(w.submit_key(1) == "end 0: cancelled, the queue is full");
  CHECK(w.desert()
        == "end 2: failed, the pool has no workers; "
           "end 3: failed, the pool has no workers");
}

TEST_CASE(
  "a task that prefers an absent worker waits for any suitable worker") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    choosy_world w{when};
    auto& where = w.best_on({7});
    w.join();
    w.submit_key(1, &where);
    w.shut.reset();
    CHECK(w.join() == "send 0 to 0");
  }
}

TEST_CASE("a task for which no worker is suitable does not delay tasks with "
          "the same preferred workers") {
  choosy_world w;
  auto& where = w.best_on({7});
  w.join();
  w.submit_key(1, &where);
  w.shut = 2;
  w.submit_key(2, &where);
  w.shut = 1;
  CHECK(w.join(2) == "send 1 to 0");
}

TEST_CASE("a task for which no worker is suitable is unlinked when the "
          "dispatcher is destroyed") {
  task task;
  task.key = 1;
  worker worker;
  std::optional<std::uint64_t> shut{1};
  {
    auto how = test::composed(assignment::lazy, false);
    how.placement = std::make_unique<choosy>(shut);
    libpool::dispatcher pool{std::move(how), {}};
    pool.joined(worker, instant{});
    pool.submitted(task, instant{});
    pool.dispatch(instant{});
    CHECK(task.held);
  }
  CHECK_FALSE(task.place_hook.is_linked());
}

TEST_CASE("the placement rule gets the permitted workers of a task in the "
          "order of their numbers") {
  choosy_world w{assignment::eager};
  for (auto i = 0; i < 4; ++i)
    w.join();
  CHECK(w.submit_to(w.only_on({0, 2, 7})) == "send 0 to 2");
}

// -- tasks of one key ---------------------------------------------------------

namespace {

/// Tasks of one key go to one worker.
struct keyed_world : dispatcher_world {
  explicit keyed_world(const limits& within = {})
    : dispatcher_world(composed(), within) {
    // nop
  }

  task& of_key(std::uint64_t key) {
    auto& task = tasks.emplace_back();
    task.key = key;
    return task;
  }

  std::string submit_key(std::uint64_t key) {
    return submit(of_key(key));
  }

private:
  static libpool::composition composed() {
    auto result = test::composed(assignment::eager, false);
    result.placement = std::make_unique<libpool::consistent_hash>();
    return result;
  }
};

} // namespace

TEST_CASE("tasks of a key go to another worker once the last task of the key "
          "on a leaving worker has ended") {
  keyed_world w;
  w.join(2);
  w.submit_key(1);
  w.submit_key(2);
  w.start(0);
  w.start(1);
  w.join();
  w.retire(0);
  CHECK(w.submit_key(1) == "");
  CHECK(w.tasks[2].held);
  CHECK(w.finish(0) == "end 0: completed; send 2 to 1");
}

TEST_CASE("tasks of one key stay in order even if their worker is retired "
          "before the first of them ends") {
  keyed_world w;
  w.join(2);
  w.submit_key(1);
  w.submit_key(2);
  w.start(0);
  w.start(1);
  w.join();
  w.retire(0);
  w.submit_key(1);
  w.dispatches = false;
  CHECK(w.finish(0) == "end 0: completed");
  w.submit_key(1);
  CHECK(w.dispatch() == "send 2 to 1");
}

TEST_CASE("tasks of a key leave a worker that cools down after a crash once "
          "its last task of the key is cancelled") {
  keyed_world w;
  w.join();
  w.submit_key(1);
  w.start(0);
  w.at(10);
  w.finish(0);
  w.submit_key(1);
  w.start(1);
  w.submit_key(1);
  w.crash(1);
  w.join();
  CHECK(w.submit_key(1) == ""); // its worker rests, with a task of its key
  CHECK(w.tasks[3].held);
  CHECK(w.cancel(2) == "end 2: cancelled, the client has ended; send 3 to 1");
}

TEST_CASE("a task that waits for earlier tasks of its key fails when its last "
          "permitted worker leaves") {
  keyed_world w;
  w.join();
  w.join();
  w.of_key(1).where = &w.only_on({2});
  CHECK(w.submit(w.tasks[0]) == "");
  w.of_key(1).where = &w.only_on({0});
  CHECK(w.submit(w.tasks[1]) == "");
  SUBCASE("another worker serves") {
    CHECK(w.retire(0) == "dismiss 0; end 1: failed, the worker is not running");
  }
  SUBCASE("its worker has tasks to end, and no worker is offered") {
    w.of_key(2).where = &w.only_on({0});
    CHECK(w.submit(w.tasks[2]) == "send 2 to 0");
    w.leave(1);
    CHECK(w.leave(0) == "end 1: failed, the worker is not running");
  }
  SUBCASE("its worker has tasks to end, and another worker serves") {
    w.of_key(2).where = &w.only_on({0});
    CHECK(w.submit(w.tasks[2]) == "send 2 to 0");
    CHECK(w.leave(0) == "end 1: failed, the worker is not running");
  }
}

TEST_CASE(
  "a full pool accepts a task without a key only if the task is sent at once") {
  for (auto busy : std::array<std::size_t, 2>{0, 1}) {
    keyed_world w{room_for(0)};
    w.join();
    w.join();
    for (std::size_t i = 0; i < 256; ++i) {
      w.submit();
      CHECK(w.pool.books().assigned == 0);
      if (w.tasks[i].on == &w.workers[1 - busy])
        w.finish(i);
    }
  }
}

TEST_CASE("a task that may not run on the worker of its key waits until "
          "earlier tasks of the key have ended") {
  keyed_world w;
  w.join();
  w.join();
  auto& on_first = w.of_key(1);
  on_first.where = &w.only_on({0});
  CHECK(w.submit(on_first) == "send 0 to 0");
  auto& on_second = w.of_key(1);
  on_second.where = &w.only_on({1});
  CHECK(w.submit(on_second) == "");
  CHECK(w.pool.held() == 0); // its worker is there
  CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
}

TEST_CASE("a task that waits for earlier tasks of its key does not delay tasks "
          "with the same permitted workers") {
  keyed_world w;
  w.join();
  auto& first = w.of_key(1);
  w.submit(first);
  auto& only_second = w.only_on({1});
  auto& of_key = w.of_key(1);
  of_key.where = &only_second;
  w.submit(of_key);
  auto& without = w.tasks.emplace_back();
  without.where = &only_second;
  CHECK(w.submit(without) == "");
  CHECK(w.join() == "send 2 to 1");
  CHECK(w.finish(0) == "end 0: completed");
  CHECK(w.finish(2) == "end 2: completed; send 1 to 1");
}

TEST_CASE("tasks of a key wait behind an older task of the key that waits for "
          "its permitted worker") {
  keyed_world w;
  w.join();
  auto& first = w.of_key(1);
  first.where = &w.only_on({1}); // which has not joined
  CHECK(w.submit(first) == "");
  CHECK(w.submit_key(1) == "");
  CHECK(w.submit_key(1) == "");
  SUBCASE("until the older task has been sent") {
    CHECK(w.join() == "send 0 to 1");
    CHECK(w.pool.books().assigned == 2); // behind the older task
    CHECK(w.finish(0) == "end 0: completed; send 1 to 1");
  }
  SUBCASE("until the older task is cancelled") {
    CHECK(w.cancel(0) == "end 0: cancelled, the client has ended; send 1 to 0");
  }
}

TEST_CASE("tasks whose keys are small numbers are spread over the workers") {
  keyed_world w;
  for (auto i = 0; i < 4; ++i)
    w.join();
  std::size_t on_first = 0;
  for (std::size_t key = 1; key <= 64; ++key) {
    w.submit_key(key);
    if (w.tasks[key - 1].on == &w.workers[0])
      ++on_first;
    w.finish(key - 1);
  }
  CHECK(on_first < 40); // 16 are expected
}

} // namespace dispatcher_unplaced_tests
