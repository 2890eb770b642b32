/// Tasks that a worker has not begun come back when it dies, quits or leaves.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace managed_returning_tests {

using namespace std::chrono_literals;

using libpool::errc;
using libpool::outcome;
using test::managed_world;
using test::scripted;

namespace {

using numbers = std::vector<int>;

struct world : managed_world {
  using managed_world::managed_world;

  std::shared_ptr<numbers> seen = std::make_shared<numbers>();

  void send_many(int n) {
    for (auto i = 0; i < n; ++i)
      client.send(pool, i);
  }

  /// Checks that each of `n` numbers was handled once.
  void check_each_once(int n) {
    std::sort(seen->begin(), seen->end());
    REQUIRE(seen->size() == static_cast<std::size_t>(n));
    for (auto i = 0; i < n; ++i)
      CHECK(seen->at(static_cast<std::size_t>(i)) == i);
    CHECK(books().completed == static_cast<std::size_t>(n));
  }

  /// A worker that keeps its numbers, and quits at 0.
  scripted::script quitting_at_0() {
    return [s = seen](scripted& self) -> caf::behavior {
      return {[s, &self](int x) {
        s->push_back(x);
        if (x == 0)
          self.quit();
        return x;
      }};
    };
  }
};

} // namespace

TEST_CASE("tasks in the mailbox of a worker that quits run on another worker") {
  for (auto seed = 1U; seed <= 5; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1000;
    w.populate(2, w.quitting_at_0());
    w.send_many(1000);
    w.run();
    w.check_each_once(1000);
    CHECK(w.stats().workers == 1);
  }
}

TEST_CASE_FIXTURE(
  world,
  "tasks of the last worker wait for a new worker with when_empty::wait") {
  options.window = 1000;
  options.when_empty = libpool::when_empty::wait;
  populate(1, quitting_at_0());
  send_many(1000);
  run();
  CHECK(books().completed == 1);
  CHECK(books().waiting == 999);
  CHECK(stats().workers == 0);
  put(system().spawn<scripted>(test::doubling(seen)));
  run();
  check_each_once(1000);
}

TEST_CASE_FIXTURE(
  world, "tasks of the last worker fail if the pool ends without workers") {
  options.window = 100;
  populate(1, quitting_at_0());
  send_many(10);
  auto number = client.request(pool, 10);
  run();
  CHECK(books().completed == 1);
  CHECK(books().failed == 10);
  for (auto& each : fates)
    if (each.how == outcome::failed)
      CHECK(each.reason == errc::no_workers);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::no_workers);
}

TEST_CASE_FIXTURE(
  world,
  "a task in flight to an idle worker that is killed runs on another worker") {
  populate(2, test::doubling(seen));
  auto first = workers().at(0);
  auto number = client.request(pool, 0);
  kill(first); // goes before the request, which is in the mailbox
  run();
  check_each_once(1);
  CHECK(client.answer_to(number).count == 1);
  CHECK(stats().workers == 1);
  CHECK(workers().size() == 1);
}

TEST_CASE_FIXTURE(
  world, "a worker that is killed before its only task started is replaced") {
  options.restart.max = 1;
  options.restart.pause = 0ms;
  options.restart.longest_pause = 0ms;
  populate(1, test::doubling(seen));
  auto first = workers().at(0);
  auto number = client.request(pool, 0);
  kill(first);
  advance(1ms);
  check_each_once(1);
  CHECK(client.answer_to(number).count == 1);
  CHECK(stats().restarts == 1);
  CHECK(stats().workers == 1);
}

TEST_CASE_FIXTURE(
  world, "a pool ends if its only worker is killed before its task started") {
  populate(1, test::doubling(seen));
  auto first = workers().at(0);
  auto number = client.request(pool, 0);
  kill(first);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::no_workers);
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(
  world, "tasks that are sent to a terminated worker run on another worker") {
  options.window = 3;
  populate(2, test::doubling(seen));
  auto first = workers().at(0);
  // The last attachable is told first: the pool has not heard of the death yet.
  first->attach_functor([this] {
    CHECK(stats().workers == 2);
    send_many(6);
  });
  kill(first);
  run();
  check_each_once(6);
  CHECK(stats().workers == 1);
}

// -- workers that have quit and live on ---------------------------------------

namespace {

/// Has quit, but waits for an answer that never comes.
scripted::script undead(const caf::actor& silent,
                        const std::shared_ptr<std::vector<int>>& seen) {
  return [silent, seen](scripted& self) -> caf::behavior {
    return {[=, &self](int x) {
      seen->push_back(x);
      self.quit();
      self.request(silent, caf::infinite, 1).then([](int) {});
      return x;
    }};
  };
}

} // namespace

TEST_CASE_FIXTURE(
  world, "a worker that has quit but is still alive swallows no tasks") {
  options.window = 4;
  test::probe silent{*this};
  auto script = undead(silent.handle(), seen);
  auto number = std::make_shared<int>(0);
  populate_by(2, [this, script, number] {
    return ++*number == 1 ? system().spawn<scripted>(script)
                          : system().spawn<scripted>(test::doubling(seen));
  });
  send_many(20);
  run();
  check_each_once(20);
  CHECK(stats().workers == 1);
  CHECK(workers().size() == 1);
  silent.answer(0, 1); // now it may go
}

TEST_CASE_FIXTURE(
  world,
  "a request waits while the last worker has quit but is alive, then fails") {
  test::probe silent{*this};
  populate(1, undead(silent.handle(), seen));
  send_many(1);
  run();
  auto number = client.request(pool, 1);
  run();
  CHECK(books().waiting == 1); // it is not known how the worker will end
  CHECK_FALSE(client.answer_to(number).came());
  silent.answer(0, 1);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::no_workers);
}

// -- tasks that are taken back ------------------------------------------------

TEST_CASE_FIXTURE(
  world, "DELETE takes back the tasks that the worker has not started") {
  options.window = 3;
  options.when_empty = libpool::when_empty::wait;
  populate(1, test::doubling(seen));
  auto first = workers().at(0);
  send_many(3);
  CHECK(books().sent == 3);
  auto number = client.request(pool, caf::sys_atom{}, caf::delete_atom{},
                               first);
  CHECK(client.answer_to(number).is_empty());
  CHECK(books().waiting == 3);
  CHECK(put(system().spawn<scripted>(test::doubling(seen))).is_empty());
  run();
  check_each_once(3);
  CHECK(*seen == numbers{0, 1, 2});
  kill(first);
}

TEST_CASE("each message taken back from the mailbox of a removed worker runs "
          "once, in random interleavings") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 3;
    w.populate(3, test::doubling(w.seen));
    auto first = w.workers().at(seed % 3);
    w.send_many(12);
    for (auto i = seed % 7; i > 0; --i)
      w.step();
    w.client.send(w.pool, caf::sys_atom{}, caf::delete_atom{}, first);
    w.run();
    w.check_each_once(12);
    w.client.send(w.pool, caf::sys_atom{}, caf::put_atom{}, first);
    w.run();
    CHECK(w.stats().workers == 3);
  }
}

TEST_CASE("the tasks of killed workers run on other workers, in each of many "
          "random interleavings") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1 + seed % 4;
    w.populate(3, test::doubling(w.seen));
    auto ws = w.workers();
    w.send_many(12);
    for (auto i = seed % 5; i > 0; --i)
      w.step();
    w.kill(ws.at(0));
    w.kill(ws.at(1));
    w.run();
    w.check_each_once(12);
    CHECK(w.stats().workers == 1);
  }
}

} // namespace managed_returning_tests
