/// Tasks whose handlers crash their workers, and the replacement of the
/// workers.

#include "support/managed_world.hpp"
#include "support/port/ways.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace managed_crashes_tests {

using namespace std::chrono_literals;

using libpool::errc;
using test::crash;
using test::failed_by_crash;
using test::managed_world;
using test::scripted;

namespace {

using numbers = std::vector<int>;

struct world : managed_world {
  using managed_world::managed_world;

  /// The numbers that were handled, in order.
  std::shared_ptr<numbers> seen = std::make_shared<numbers>();
  /// How often the factory was asked.
  int made = 0;

  std::ptrdiff_t runs(int x) const {
    return std::count(seen->begin(), seen->end(), x);
  }

  /// Crashes the first `times` times that it sees a number below 0.
  scripted::script crashing(int times = 1000) {
    return [seen = seen, times](scripted&) -> caf::behavior {
      return {[seen, times](int x) {
        seen->push_back(x);
        if (x < 0 && std::count(seen->begin(), seen->end(), x) <= times)
          crash();
        return 2 * x;
      }};
    };
  }

  caf::actor worker() {
    return system().spawn<scripted>(crashing());
  }

  /// Lets a worker crash, and its replacement come.
  void crash_one() {
    client.send(pool, -1);
    advance(1ms);
  }

  /// The answers to requests with these numbers.
  std::vector<std::uint64_t> request(const numbers& all) {
    std::vector<std::uint64_t> result;
    for (auto x : all)
      result.push_back(client.request(pool, x));
    return result;
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "by default, a message that crashes its worker is not "
                         "tried on another worker") {
  populate(3, crashing());
  client.send(pool, -1);
  auto answer = client.ask(pool, -2);
  CHECK(runs(-1) == 1);
  CHECK(runs(-2) == 1);
  CHECK(failed_by_crash(answer));
  CHECK(stats().workers == 1);
  CHECK(client.ask(pool, 1).get<int>() == 2);
}

TEST_CASE(
  "a request that is retried is answered once, with the successful answer") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.on_crash = libpool::retry{2};
    w.options.window = 1 + seed % 3;
    auto replaces = seed % 2 == 0;
    if (replaces)
      w.restart(10);
    w.populate(4, w.crashing(2));
    auto sent = w.request({-1, 2, 3, 4});
    w.client.send(w.pool, 5);
    w.advance(1ms);
    const numbers expected{-2, 4, 6, 8};
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(w.client.answer_to(sent[i]).count == 1);
      CHECK(w.client.answer_to(sent[i]).get<int>() == expected[i]);
    }
    CHECK(w.runs(-1) == 3);
    CHECK(w.runs(2) == 1);
    CHECK(w.books().completed == 5);
    CHECK(w.stats().workers == (replaces ? 4 : 2));
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
  auto answer = client.ask(pool, 10);
  CHECK(answer.count == 1);
  CHECK(answer.get<int>() == 12);
}

TEST_CASE_FIXTURE(world, "a task fails once its retries are used up, or when "
                         "it has crashed poison_after workers") {
  auto why = errc::retries_exhausted;
  SUBCASE("the retries are used up") {
    options.on_crash = libpool::retry{2};
  }
  SUBCASE("the task is poisoned") {
    options.on_crash = libpool::retry{100};
    options.poison_after = 3;
    why = errc::poisoned;
  }
  populate(7, crashing());
  client.send(pool, -2);
  auto answer = client.ask(pool, -1);
  CHECK(runs(-1) == 3);
  CHECK(runs(-2) == 3);
  CHECK(answer.count == 1);
  CHECK(answer.error() == why);
  CHECK(stats().workers == 1);
  CHECK(books().failed == 2);
  for (auto& each : fates)
    CHECK(each.reason == why);
}

TEST_CASE_FIXTURE(world, "a task that is retried after a crash starts before "
                         "tasks that arrived later") {
  options.on_crash = libpool::retry{1};
  restart(5);
  populate(1, crashing(1));
  for (auto x : {-1, 1, 2, 3})
    client.send(pool, x);
  advance(1ms);
  CHECK(*seen
        == (test::mailboxes_close_first ? numbers{-1, 1, -1, 2, 3}
                                        : numbers{-1, -1, 1, 2, 3}));
}

// -- replacing workers --------------------------------------------------------

TEST_CASE_FIXTURE(world, "crashed workers are replaced after growing pauses, "
                         "and waiting tasks run on the replacement") {
  options.restart.max = 3;
  options.restart.period = 10s;
  options.restart.pause = 10ms;
  options.restart.longest_pause = 25ms;
  options.when_empty = libpool::when_empty::wait;
  populate(1, crashing());
  for (auto pause : {10ms, 20ms, 25ms}) {
    client.send(pool, -1);
    auto number = client.request(pool, 4);
    run();
    CHECK(stats().workers == 0);
    CHECK(books().waiting == 1);
    advance(pause - 1ms);
    CHECK(stats().workers == 0);
    CHECK_FALSE(client.answer_to(number).came());
    advance(1ms);
    CHECK(stats().workers == 1);
    CHECK(client.answer_to(number).get<int>() == 8);
  }
  CHECK(stats().restarts == 3);
  client.send(pool, -1);
  auto number = client.request(pool, 4);
  advance(5s);
  CHECK(stats().workers == 0); // beyond the budget
  CHECK(stats().restarts == 3);
  CHECK(books().failed == 4);
  CHECK(books().waiting == 1);
  put(worker()); // with when_empty::wait
  CHECK(client.answer_to(number).get<int>() == 8);
}

TEST_CASE_FIXTURE(world, "a pool shrinks once its restarts are used up, "
                         "replaces workers again after restart.period, and "
                         "ends without workers") {
  restart(2);
  options.restart.period = 1s;
  populate(2, crashing());
  auto ended = std::make_shared<caf::error>();
  pool->attach_functor([ended](const caf::error& why) { *ended = why; });
  for (auto i = 0; i < 3; ++i)
    crash_one();
  CHECK(stats().workers == 1);
  CHECK(stats().restarts == 2);
  advance(2s);
  for (auto i = 0; i < 2; ++i)
    crash_one();
  CHECK(stats().workers == 1);
  CHECK(stats().restarts == 4);
  client.send(pool, -1);
  auto answer = client.ask(pool, 1);
  CHECK(*ended == caf::exit_reason::out_of_workers);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::no_workers);
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(world,
                  "workers that end for a normal reason are not replaced") {
  restart(10);
  populate(3, crashing());
  auto ws = workers();
  exit(ws[0], caf::exit_reason::user_shutdown);
  exit(ws[1], caf::exit_reason::normal);
  advance(1ms);
  CHECK(stats().restarts == 0);
  CHECK(stats().workers >= 1);
}

TEST_CASE_FIXTURE(world, "making a pool fails if its factory throws") {
  CHECK_THROWS_WITH(populate_by(3,
                                [this] {
                                  return ++made < 3 ? worker()
                                                    : throw std::runtime_error{
                                                      "no more"};
                                }),
                    "no more");
  CHECK(made == 3);
}

TEST_CASE_FIXTURE(world, "a factory that throws for a replacement counts as a "
                         "crash, and its exception is in the error of a pool "
                         "that ends for this reason") {
  options.restart.max = 3;
  options.restart.pause = 10ms;
  populate_by(1, [this] {
    return ++made % 2 == 1 ? worker() : throw std::runtime_error{"not now"};
  });
  client.ask(pool, -1);
  advance(10ms);
  CHECK(made == 2);
  CHECK(stats().workers == 0);
  auto number = client.request(pool, 3);
  advance(19ms);
  CHECK(made == 2);
  advance(1ms);
  CHECK(made == 3);
  CHECK(client.answer_to(number).get<int>() == 6);
  CHECK(stats().restarts == 1);
  client.send(pool, -1);
  number = client.request(pool, 3);
  run();
  advance(1s);
  CHECK(made == 4);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::no_workers);
  CHECK(says(client.answer_to(number), "the factory threw: not now"));
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(world, "a factory that returns an actor that cannot be a "
                         "worker, or has terminated, counts as a crash") {
  restart(4);
  populate_by(1, [this, stranger = client.handle()] {
    switch (++made) {
      case 2:
        return stranger; // cannot be tracked
      case 3:
        return caf::actor{};
      case 4: {
        auto result = worker();
        kill(result);
        run();
        return result;
      }
      default:
        return worker();
    }
  });
  client.send(pool, -1);
  auto number = client.request(pool, 3);
  advance(1s);
  CHECK(made == 5);
  CHECK(client.answer_to(number).get<int>() == 6);
}

TEST_CASE_FIXTURE(
  world,
  "a worker that crashes in make_behavior is replaced, and its task waits") {
  restart(3);
  populate_by(1, [this] {
    return system().spawn<scripted>(
      ++made % 2 == 0 ? crashing()
                      : [](scripted&) -> caf::behavior { crash(); });
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
    w.restart(100);
    w.populate(4, w.crashing(1));
    const numbers all{-1, 1, -2, 2, -3, 3, -4, 4, 5, 6};
    auto sent = w.request(all);
    for (auto i = 0; i < 50; ++i)
      w.advance(1ms);
    for (auto number : sent)
      CHECK(w.client.answer_to(number).came());
    CHECK(w.books().failed == 4);
    CHECK(w.books().completed == 6);
    for (auto x : all)
      CHECK(w.runs(x) == 1);
    CHECK(w.stats().workers == 4);
  }
}

} // namespace managed_crashes_tests
