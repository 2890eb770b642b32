/// Handlers that wait for tasks of their own pool, and cycles of such waits.

#include "libpool/core/nested_waits.hpp"
#include "libpool/policies/order/fifo.hpp"
#include "libpool/policies/placement/least_used.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>

namespace core_nested_waits_tests {

using libpool::task;
using libpool::worker;
using libpool::worker_number;
using in_state = libpool::task::condition;

namespace {

struct world {
  explicit world(std::size_t number_of_workers) {
    for (std::size_t i = 0; i < number_of_workers; ++i) {
      auto& each = members.emplace_back();
      each.number = worker_number{i};
      workers.joined(each);
      update(each);
    }
  }

  ~world() {
    for (auto& each : members)
      each.mailbox.clear();
    for (auto& each : tasks)
      all.enter(each, in_state::unknown);
  }

  void update(worker& worker) {
    workers.offer(worker);
    workers.give_room(worker);
  }

  task& add() {
    auto& result = tasks.emplace_back();
    result.number = tasks.size();
    all.enter(result, in_state::waiting);
    return result;
  }

  /// Adds a task whose handler runs on the worker.
  task& run(std::size_t on) {
    auto& result = add();
    auto& to = members[on];
    result.on = &to;
    to.mailbox.push_back(result);
    workers.sent(to);
    update(to);
    all.enter(result, in_state::running);
    return result;
  }

  /// Adds a task that the handler of `asker` waits for.
  task& ask(task& asker) {
    auto& result = add();
    result.own_notes().asker = &asker;
    auto* waiter = waits.began(result);
    REQUIRE(waiter == asker.on);
    if (waits.begins_to_wait(*waiter))
      update(*waiter);
    return result;
  }

  std::deque<worker> members;
  std::deque<task> tasks;
  libpool::fifo order;
  libpool::least_used placement;
  libpool::pool_tasks all;
  libpool::pool_workers workers{false, false};
  libpool::throttling gates{order, {}};
  libpool::nested_waits waits{all, workers, gates, placement};
};

} // namespace

TEST_CASE("a worker waits while each of its tasks waits for others") {
  world w{1};
  auto& asker = w.run(0);
  CHECK(w.waits.empty());
  auto& asked = w.ask(asker);
  CHECK_FALSE(w.waits.empty());
  CHECK(w.members[0].waits);
  CHECK_FALSE(w.waits.begins_to_wait(w.members[0]));
  w.waits.settled(asked);
  CHECK(w.waits.empty());
  CHECK_FALSE(w.members[0].waits);
  CHECK(w.waits.take_ended());
  CHECK_FALSE(w.waits.take_ended());
}

TEST_CASE("a worker with room does not wait") {
  world w{1};
  w.members[0].window = 2;
  w.ask(w.run(0));
  CHECK_FALSE(w.members[0].waits);
}

TEST_CASE("a task whose asker has not begun is not waited for") {
  world w{1};
  auto& asker = w.add();
  auto& asked = w.add();
  asked.own_notes().asker = &asker;
  CHECK(w.waits.began(asked) == nullptr);
  CHECK(asked.notes().asker == nullptr);
  CHECK(w.waits.empty());
}

TEST_CASE("a task that an unknown handler of a worker asks for is waited for "
          "until the worker leaves") {
  world w{1};
  w.run(0);
  auto& asked = w.add();
  asked.own_notes().asking = &w.members[0];
  CHECK(w.waits.began(asked) == &w.members[0]);
  CHECK(w.waits.begins_to_wait(w.members[0]));
  w.waits.left(w.members[0]);
  CHECK(w.waits.empty());
  CHECK(asked.notes().asking == nullptr);
  CHECK(w.members[0].awaited == 0);
}

TEST_CASE("a handler that has ended waits for no task") {
  world w{1};
  auto& asker = w.run(0);
  auto& asked = w.ask(asker);
  w.waits.ended(asker);
  w.waits.goes_on(w.members[0]);
  CHECK(w.waits.empty());
  CHECK(asked.notes().asker == nullptr);
  CHECK(asker.notes().awaited == 0);
  CHECK_FALSE(w.waits.take_ended());
}

TEST_CASE("a task is in a cycle if all workers that may run it wait") {
  world w{2};
  auto& other = w.run(1);
  auto& asked = w.ask(w.run(0));
  CHECK(w.waits.in_cycle() == nullptr);
  w.ask(other);
  CHECK(w.waits.in_cycle() == &asked);
  CHECK(w.waits.could_go_to_new_worker(asked));
  libpool::restriction where;
  where.only = {worker_number{0}, worker_number{1}};
  asked.own_notes().where = &where;
  CHECK(w.waits.in_cycle() == &asked);
  CHECK_FALSE(w.waits.could_go_to_new_worker(asked));
}

TEST_CASE("a task that only a waiting worker may run is in a cycle although "
          "other workers have room") {
  world w{2};
  auto& asked = w.ask(w.run(0));
  libpool::restriction where;
  where.only = {worker_number{0}};
  asked.own_notes().where = &where;
  CHECK(w.waits.in_cycle() == &asked);
}

} // namespace core_nested_waits_tests
