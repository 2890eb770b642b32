/// Tasks for which the placement has no worker. Tasks of one key may be such
/// tasks, see test/laws and test/policies/placement/consistent_hash.cpp.

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dispatcher_unplaced_tests {

using libpool::assignment;
using libpool::instant;
using libpool::restriction;
using libpool::task;
using libpool::worker;
using test::dispatcher_world;

namespace {

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
    auto suits = !task.notes().key || task.notes().key != *shut_;
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

/// A pool whose placement has no worker for tasks of the key `shut`.
struct choosy_world : dispatcher_world {
  explicit choosy_world(assignment when, const libpool::limits& within = {})
    : dispatcher_world(composed(when, shut), within) {
    // nop
  }

  std::string submit_key(std::uint64_t key, restriction* where = nullptr) {
    add().own_notes().key = key;
    tasks.back().own_notes().where = where;
    return submit(tasks.back());
  }

  std::optional<std::uint64_t> shut{1};

private:
  static libpool::composition
  composed(assignment when, const std::optional<std::uint64_t>& shut) {
    auto result = test::composed(when, false);
    result.placement = std::make_unique<choosy>(shut);
    return result;
  }
};

} // namespace

TEST_CASE("a task for which no worker is suitable does not delay other tasks, "
          "and is looked at again when a worker becomes available") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    choosy_world w{when};
    w.join();
    for (auto i = 0; i < 3; ++i)
      CHECK(w.submit_key(1) == "");
    CHECK(is_held(w.tasks[0]));
    CHECK(w.submit_key(2) == "send 3 to 0");
    CHECK(w.pool.books().waiting == 3);
    CHECK(w.finish(3) == "end 3: completed");
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
    choosy_world w{assignment::lazy};
    w.does("join, join 2");
    w.submit_key(1);
    w.shut.reset();
    CHECK((dies ? w.leave(0) : w.retire(0)) == "dismiss 0; send 0 to 1");
  }
}

TEST_CASE("a task for which no worker is suitable can be cancelled, dropped "
          "and failed") {
  choosy_world w{assignment::lazy, {2, libpool::overflow::drop_oldest}};
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

TEST_CASE("a task that prefers an absent worker waits for any suitable worker, "
          "and does not delay tasks with the same preferred workers") {
  choosy_world w{assignment::lazy};
  auto& where = w.best_on({7});
  w.join();
  w.submit_key(1, &where);
  w.shut = 2;
  w.submit_key(2, &where);
  w.shut = 1;
  CHECK(w.join(2) == "send 1 to 0");
  w.shut.reset();
  CHECK(w.finish(1) == "end 1: completed; send 0 to 1");
}

TEST_CASE("the placement rule gets the permitted workers of a task in the "
          "order of their numbers") {
  choosy_world w{assignment::eager};
  w.does("join, join, join, join");
  CHECK(w.submit_to(w.only_on({0, 2, 7})) == "send 0 to 2");
}

} // namespace dispatcher_unplaced_tests
