/// Tasks that a worker has not begun come back when it dies, quits or leaves.

#include "support/managed_world.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

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

  void send_many(int n) {
    for (auto i = 0; i < n; ++i)
      client.send(pool, i);
  }

  /// Checks that each of `n` numbers was handled once.
  void check_each_once(int n) {
    numbers all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    std::sort(doubled.begin(), doubled.end());
    CHECK(doubled == all);
    CHECK(books().completed == all.size());
  }

  /// A worker that keeps its numbers, and quits at 0.
  scripted::script quitting_at_0() {
    return [this](scripted& self) -> caf::behavior {
      return {[this, &self](int x) {
        doubled.push_back(x);
        if (x == 0)
          self.quit();
        return x;
      }};
    };
  }

  /// A worker that quits, but waits for an answer that never comes.
  scripted::script undead(const test::probe& silent) {
    return [this, to = silent.handle()](scripted& self) -> caf::behavior {
      return {[this, to, &self](int x) {
        doubled.push_back(x);
        self.quit();
        self.request(to, caf::infinite, 1).then([](int) {});
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
  world, "tasks of the last worker fail if the pool ends without workers") {
  options.window = 100;
  populate(1, quitting_at_0());
  send_many(10);
  auto number = request(10);
  CHECK(books().completed == 1);
  CHECK(books().failed == 10);
  for (auto& each : fates)
    if (each.how == outcome::failed)
      CHECK(each.reason == errc::no_workers);
  CHECK(error_of(number) == errc::no_workers);
}

TEST_CASE_FIXTURE(world, "a task in flight to an idle worker that is killed "
                         "runs on another worker, if any serves") {
  std::size_t before = 1;
  SUBCASE("another worker") {
    before = 2;
  }
  SUBCASE("a replacement") {
    options.restart.max = 1;
    options.restart.pause = options.restart.longest_pause = 0ms;
  }
  SUBCASE("none, so that the pool ends") {}
  auto serves = before == 2 || options.restart.max == 1;
  populate(before, doubling());
  auto first = workers().at(0);
  auto number = client.request(pool, 0);
  kill(first); // goes before the request, which is in the mailbox
  advance(1ms);
  if (serves) {
    check_each_once(1);
    CHECK(!error_of(number));
    CHECK(stats().workers == 1);
    CHECK(stats().restarts == 2 - before);
  } else {
    CHECK(error_of(number) == errc::no_workers);
    CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
  }
}

TEST_CASE_FIXTURE(
  world, "tasks that are sent to a terminated worker run on another worker") {
  options.window = 3;
  populate(2, doubling());
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

TEST_CASE_FIXTURE(
  world, "a worker that has quit but is still alive swallows no tasks") {
  options.window = 4;
  test::probe silent{*this};
  auto script = undead(silent);
  populate_by(2, [&, made = 0]() mutable {
    return system().spawn<scripted>(++made == 1 ? script : doubling());
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
  populate(1, undead(silent));
  send_many(1);
  run();
  auto number = request(1);
  CHECK(books().waiting == 1); // it is not known how the worker will end
  CHECK_FALSE(is_answered(number));
  silent.answer(0, 1);
  run();
  CHECK(error_of(number) == errc::no_workers);
}

// -- tasks that are taken back ------------------------------------------------

TEST_CASE_FIXTURE(
  world, "DELETE takes back the tasks that the worker has not started") {
  options.window = 3;
  options.when_empty = libpool::when_empty::wait;
  populate(1, doubling());
  auto first = workers().at(0);
  send_many(3);
  CHECK(books().sent == 3);
  auto number = client.request(pool, caf::sys_atom{}, caf::delete_atom{},
                               first);
  CHECK(client.answer_to(number).is_empty());
  CHECK(books().waiting == 3);
  put_doubling();
  run();
  check_each_once(3);
  CHECK(doubled == numbers{0, 1, 2});
  kill(first);
}

} // namespace managed_returning_tests
