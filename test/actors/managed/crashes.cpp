/// Tasks whose handlers crash their workers, and the replacement of the
/// workers.

#include "support/managed_world.hpp"
#include "support/port/ways.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace managed_crashes_tests {

using namespace std::chrono_literals;

using libpool::errc;
using test::crash;
using test::failed_by_crash;
using test::managed_world;
using test::scripted;

namespace {

struct world : managed_world {
  using managed_world::managed_world;

  /// How often each number was handled.
  std::shared_ptr<std::map<int, int>> runs =
    std::make_shared<std::map<int, int>>();

  /// Crashes the first `times` times that it sees a number below 0.
  scripted::script crashing(int times) {
    return [runs_of = runs, times](scripted&) -> caf::behavior {
      return {[runs_of, times](int x) {
        if (++(*runs_of)[x] <= times && x < 0)
          crash();
        return 2 * x;
      }};
    };
  }

  void restart_at_once(std::size_t max) {
    options.restart.max = max;
    options.restart.pause = 0ms;
    options.restart.longest_pause = 0ms;
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "by default, a message that crashes its worker is not "
                         "tried on another worker") {
  populate(3, crashing(1000));
  client.send(pool, -1);
  auto number = client.request(pool, -2);
  run();
  CHECK((*runs)[-1] == 1);
  CHECK((*runs)[-2] == 1);
  CHECK(failed_by_crash(client.answer_to(number)));
  CHECK(stats().workers == 1);
  CHECK(client.ask(pool, 1).get<int>() == 2);
}

TEST_CASE_FIXTURE(
  world, "a task with retries runs again on another worker after a crash") {
  options.on_crash = libpool::retry{2};
  populate(4, crashing(2));
  client.send(pool, -1);
  run();
  CHECK((*runs)[-1] == 3);
  CHECK(books().completed == 1);
  CHECK(stats().workers == 2);
}

TEST_CASE(
  "a request that is retried is answered once, with the successful answer") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.on_crash = libpool::retry{2};
    w.options.window = 1 + seed % 3;
    w.restart_at_once(10);
    w.populate(3, w.crashing(2));
    std::vector<std::uint64_t> sent;
    for (auto x : {-1, 2, 3, 4})
      sent.push_back(w.client.request(w.pool, x));
    w.advance(1ms);
    auto expected = -2;
    for (auto number : sent) {
      CHECK(w.client.answer_to(number).count == 1);
      CHECK(w.client.answer_to(number).get<int>() == expected);
      expected = expected == -2 ? 4 : expected + 2;
    }
    CHECK((*w.runs)[-1] == 3);
    CHECK((*w.runs)[2] == 1);
    CHECK(w.books().completed == 4);
  }
}

TEST_CASE_FIXTURE(
  world,
  "an answer from before the crash does not count if the request is retried") {
  options.on_crash = libpool::retry{1};
  auto times = std::make_shared<int>(0);
  populate(2, [times](scripted& self) -> caf::behavior {
    return {[times, &self](int x) -> caf::result<int> {
      auto promise = self.make_response_promise();
      promise.deliver(x + ++*times);
      if (*times == 1)
        crash();
      return caf::delegated<int>{};
    }};
  });
  auto number = client.request(pool, 10);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<int>() == 12);
}

TEST_CASE_FIXTURE(world, "a task fails once its retries are used up") {
  options.on_crash = libpool::retry{2};
  populate(7, crashing(1000));
  auto number = client.request(pool, -1);
  client.send(pool, -2);
  run();
  CHECK((*runs)[-1] == 3);
  CHECK((*runs)[-2] == 3);
  CHECK(books().failed == 2);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::retries_exhausted);
  for (auto& each : fates)
    CHECK(each.reason == errc::retries_exhausted);
}

TEST_CASE_FIXTURE(
  world,
  "a task that has crashed poison_after workers fails even with retries left") {
  options.on_crash = libpool::retry{100};
  options.poison_after = 3;
  populate(6, crashing(1000));
  auto number = client.request(pool, -1);
  run();
  CHECK((*runs)[-1] == 3);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::poisoned);
  CHECK(fates.at(0).reason == errc::poisoned);
  CHECK(stats().workers == 3);
}

TEST_CASE_FIXTURE(world, "a task that is retried after a crash starts before "
                         "tasks that arrived later") {
  options.on_crash = libpool::retry{1};
  restart_at_once(5);
  auto order = std::make_shared<std::vector<int>>();
  auto crashed = std::make_shared<bool>(false);
  populate(1, [=](scripted&) -> caf::behavior {
    return {[=](int x) {
      order->push_back(x);
      if (x == 0 && !std::exchange(*crashed, true))
        crash();
    }};
  });
  for (auto i = 0; i < 4; ++i)
    client.send(pool, i);
  advance(1ms);
  using numbers = std::vector<int>;
  auto expected = test::mailboxes_close_first ? numbers{0, 1, 0, 2, 3}
                                              : numbers{0, 0, 1, 2, 3};
  CHECK(*order == expected);
}

// -- replacing workers --------------------------------------------------------

TEST_CASE_FIXTURE(world, "crashed workers are replaced after growing pauses") {
  options.restart.max = 3;
  options.restart.period = 10s;
  options.restart.pause = 10ms;
  options.restart.longest_pause = 25ms;
  options.when_empty = libpool::when_empty::wait;
  populate(1, crashing(1000));
  auto check_back_after = [&](std::chrono::milliseconds pause) {
    client.send(pool, -1);
    run();
    CHECK(stats().workers == 0);
    advance(pause - 1ms);
    CHECK(stats().workers == 0);
    advance(1ms);
    CHECK(stats().workers == 1);
  };
  check_back_after(10ms);
  check_back_after(20ms);
  check_back_after(25ms);
  CHECK(stats().restarts == 3);
  client.send(pool, -1);
  advance(5s);
  CHECK(stats().workers == 0); // beyond the budget
  CHECK(stats().restarts == 3);
  CHECK(books().failed == 4);
}

TEST_CASE_FIXTURE(
  world,
  "tasks that wait while a crashed worker is replaced run on the replacement") {
  options.restart.max = 1;
  populate(1, crashing(1000));
  client.send(pool, -1);
  auto number = client.request(pool, 4);
  run();
  CHECK_FALSE(client.answer_to(number).came());
  CHECK(books().waiting == 1);
  advance(10ms);
  CHECK(client.answer_to(number).get<int>() == 8);
}

TEST_CASE_FIXTURE(
  world,
  "a pool shrinks once its restarts are used up, and ends without workers") {
  restart_at_once(2);
  options.restart.period = 1s;
  populate(2, crashing(1000));
  auto ended = std::make_shared<caf::error>();
  pool->attach_functor([ended](const caf::error& why) { *ended = why; });
  for (auto i = 0; i < 3; ++i) {
    client.send(pool, -1);
    advance(1ms);
  }
  CHECK(stats().workers == 1);
  CHECK(stats().restarts == 2);
  client.send(pool, -1);
  auto number = client.request(pool, 1);
  advance(1ms);
  CHECK(*ended == caf::exit_reason::out_of_workers);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::no_workers);
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(world,
                  "a pool that has used up its replacements of crashed workers "
                  "can replace workers again after restart.period") {
  restart_at_once(1);
  options.restart.period = 1s;
  populate(2, crashing(1000));
  client.send(pool, -1);
  advance(1ms);
  CHECK(stats().workers == 2);
  advance(2s);
  client.send(pool, -1);
  advance(1ms);
  CHECK(stats().workers == 2);
  CHECK(stats().restarts == 2);
}

TEST_CASE_FIXTURE(
  world, "an empty pool with when_empty::wait continues when a worker joins") {
  options.when_empty = libpool::when_empty::wait;
  populate(1, crashing(1000));
  client.send(pool, -1);
  auto number = client.request(pool, 4);
  run();
  CHECK(stats().workers == 0);
  CHECK(books().waiting == 1);
  put(system().spawn<scripted>(crashing(0)));
  CHECK(client.answer_to(number).get<int>() == 8);
}

TEST_CASE_FIXTURE(world,
                  "workers that end for a normal reason are not replaced") {
  restart_at_once(10);
  populate(3, crashing(0));
  auto ws = workers();
  exit(ws[0], caf::exit_reason::user_shutdown);
  caf::anon_send_exit(ws[1], caf::exit_reason::normal);
  advance(1ms);
  CHECK(stats().restarts == 0);
  CHECK(stats().workers >= 1);
}

TEST_CASE_FIXTURE(world, "making a pool fails if its factory throws") {
  auto made = std::make_shared<int>(0);
  CHECK_THROWS_AS(populate_by(3,
                              [this, made] {
                                if (++*made == 3)
                                  throw std::runtime_error{"no more"};
                                return system().spawn<scripted>(crashing(0));
                              }),
                  std::runtime_error);
  CHECK(*made == 3);
}

TEST_CASE_FIXTURE(world,
                  "a factory that throws for a replacement counts as a crash") {
  options.restart.max = 3;
  options.restart.pause = 10ms;
  auto made = std::make_shared<int>(0);
  populate_by(1, [this, made]() -> caf::actor {
    if (++*made == 2)
      throw std::runtime_error{"not now"};
    return system().spawn<scripted>(crashing(1000));
  });
  client.send(pool, -1);
  run();
  advance(10ms);
  CHECK(*made == 2);
  CHECK(stats().workers == 0);
  auto number = client.request(pool, 3);
  advance(19ms);
  CHECK(*made == 2);
  advance(1ms);
  CHECK(*made == 3);
  CHECK(client.answer_to(number).get<int>() == 6);
  CHECK(stats().restarts == 1);
}

TEST_CASE_FIXTURE(world,
                  "a factory that throws for every replacement ends the pool") {
  options.restart.max = 3;
  auto made = std::make_shared<int>(0);
  populate_by(1, [this, made]() -> caf::actor {
    if (++*made > 1)
      throw std::runtime_error{"never"};
    return system().spawn<scripted>(crashing(1000));
  });
  client.send(pool, -1);
  auto number = client.request(pool, 3);
  for (auto i = 0; i < 10; ++i)
    advance(100ms);
  CHECK(*made == 4);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::no_workers);
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(
  world,
  "a factory that returns an actor that cannot be a worker counts as a crash") {
  restart_at_once(3);
  auto made = std::make_shared<int>(0);
  auto stranger = client.handle();
  populate_by(1, [this, made, stranger]() -> caf::actor {
    if (++*made == 2)
      return stranger; // cannot be tracked
    if (*made == 3)
      return caf::actor{};
    return system().spawn<scripted>(crashing(1000));
  });
  client.send(pool, -1);
  auto number = client.request(pool, 3);
  advance(1s);
  CHECK(*made == 4);
  CHECK(client.answer_to(number).get<int>() == 6);
}

TEST_CASE_FIXTURE(
  world,
  "a worker that crashes in make_behavior is replaced, and its task waits") {
  restart_at_once(3);
  auto made = std::make_shared<int>(0);
  populate_by(1, [this, made] {
    auto is_bad = ++*made % 2 == 1;
    auto good = crashing(0);
    return system().spawn<scripted>([=](scripted& self) -> caf::behavior {
      if (is_bad)
        crash();
      return good(self);
    });
  });
  auto number = client.request(pool, 3);
  advance(1ms);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<int>() == 6);
  CHECK(stats().restarts == 1);
}

TEST_CASE("each request is answered even if all workers crash together, in "
          "random interleavings") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1 + seed % 3;
    w.restart_at_once(100);
    w.populate(4, w.crashing(1));
    std::vector<std::uint64_t> sent;
    for (auto x : {-1, 1, -2, 2, -3, 3, -4, 4, 5, 6})
      sent.push_back(w.client.request(w.pool, x));
    for (auto i = 0; i < 50; ++i)
      w.advance(1ms);
    for (auto number : sent)
      CHECK(w.client.answer_to(number).came());
    CHECK(w.books().failed == 4);
    CHECK(w.books().completed == 6);
    for (auto& [x, times] : *w.runs)
      CHECK(times == 1);
    CHECK(w.stats().workers == 4);
  }
}

} // namespace managed_crashes_tests
