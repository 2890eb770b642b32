/// Workers that are busy until they have answered.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace managed_late_answers_tests {

using namespace std::chrono_literals;

using libpool::errc;
using libpool::outcome;
using test::crash;
using test::managed_world;
using test::scripted;

namespace {

struct world : managed_world {
  explicit world(std::uint64_t seed = 0) : managed_world(seed) {
    options.busy_until = libpool::busy_until::answer;
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a worker gets the next request only after it has "
                         "fulfilled its response promise") {
  populate(1, promising());
  auto first = client.request(pool, 1);
  auto second = client.request(pool, 2);
  run();
  CHECK(promises.size() == 1);
  CHECK(books().running == 1);
  CHECK(books().waiting == 1);
  CHECK(fates.empty());
  deliver(0, 10);
  CHECK(client.answer_to(first).get<int>() == 10);
  CHECK(promises.size() == 2);
  deliver(1, 20);
  CHECK(client.answer_to(second).get<int>() == 20);
  CHECK(books().completed == 2);
}

TEST_CASE_FIXTURE(world, "an asynchronous message completes when its handler "
                         "returns, even if the pool waits for answers") {
  populate(1, test::doubling(std::make_shared<std::vector<int>>()));
  client.send(pool, 1);
  client.send(pool, 2);
  run();
  CHECK(books().completed == 2);
}

TEST_CASE_FIXTURE(world,
                  "a request that its handler answers at once has completed") {
  populate(1, test::doubling(std::make_shared<std::vector<int>>()));
  CHECK(client.ask(pool, 2).get<int>() == 4);
  CHECK(books().completed == 1);
}

TEST_CASE_FIXTURE(
  world,
  "a promise that is dropped frees the worker, and the client gets an error") {
  populate(1, promising());
  auto first = client.request(pool, 1);
  run();
  promises.clear();
  run();
  CHECK(client.answer_to(first).count == 1);
  CHECK(client.answer_to(first).error() == libpool::dropped_request());
  CHECK(books().open() == 0);
  client.request(pool, 2);
  run();
  CHECK(promises.size() == 1);
}

TEST_CASE_FIXTURE(
  world, "a client gets an error if the handler drops its promise at once") {
  populate(1, [](scripted& self) -> caf::behavior {
    return {[&self](int) -> caf::result<int> {
      self.make_response_promise();
      return caf::delegated<int>{};
    }};
  });
  auto number = client.request(pool, 1);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == libpool::dropped_request());
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a client gets an error if a worker terminates with its promise open") {
  options.when_empty = libpool::when_empty::wait;
  populate(1, promising());
  auto first = workers().at(0);
  auto number = client.request(pool, 1);
  run();
  kill(first);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::worker_crashed);
  CHECK(fates.at(0).how == outcome::failed);
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a client gets an error if a worker promises and quits in the same handler") {
  options.when_empty = libpool::when_empty::wait;
  populate(1, [this](scripted& self) -> caf::behavior {
    return {[this, &self](int) {
      promises.push_back(self.make_response_promise());
      self.quit();
      return promises.back();
    }};
  });
  auto number = client.request(pool, 1);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::worker_crashed);
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(world,
                  "a client gets an error if a handler promises and throws") {
  options.when_empty = libpool::when_empty::wait;
  populate(1, [this](scripted& self) -> caf::behavior {
    return {[this, &self](int) -> caf::result<int> {
      promises.push_back(self.make_response_promise());
      crash();
    }};
  });
  auto number = client.request(pool, 1);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::worker_crashed);
}

TEST_CASE_FIXTURE(world, "a worker that waits for another actor gets no "
                         "further request before it has answered") {
  test::probe backend{*this};
  populate(1, [&](scripted& self) -> caf::behavior {
    return {[&self, to = backend.handle()](int x) {
      auto promise = self.make_response_promise();
      self.request(to, caf::infinite, x).then([promise](int y) mutable {
        promise.deliver(y);
      });
      return promise;
    }};
  });
  auto first = client.request(pool, 1);
  auto second = client.request(pool, 2);
  run();
  CHECK(backend.received() == 1);
  backend.answer(0, 100);
  run();
  CHECK(client.answer_to(first).get<int>() == 100);
  CHECK_FALSE(client.answer_to(second).came());
  backend.answer(1, 200);
  run();
  CHECK(client.answer_to(second).get<int>() == 200);
}

TEST_CASE_FIXTURE(
  world, "a delegated request occupies the worker until it is answered") {
  test::probe backend{*this};
  populate(1, [&](scripted& self) -> caf::behavior {
    return {
      [&self, to = backend.handle()](int x) { return self.delegate(to, x); }};
  });
  auto first = client.request(pool, 1);
  client.request(pool, 2);
  run();
  CHECK(backend.received() == 1);
  backend.answer(0, 100);
  run();
  CHECK(client.answer_to(first).get<int>() == 100);
  CHECK(backend.received() == 2);
  backend.answer(1, 100);
}

TEST_CASE_FIXTURE(world, "if on_crash is retry, another worker answers a "
                         "request whose worker terminated before the answer") {
  options.on_crash = libpool::retry{1};
  populate(2, promising());
  auto number = client.request(pool, 1);
  run();
  kill(caf::actor{holders.at(0)});
  run();
  REQUIRE(promises.size() == 2);
  CHECK_FALSE(client.answer_to(number).came());
  deliver(1, 7);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<int>() == 7);
  CHECK(books().completed == 1);
}

TEST_CASE_FIXTURE(
  world, "DELETE is answered when the worker has fulfilled its promise") {
  options.when_empty = libpool::when_empty::wait;
  populate(1, promising());
  auto first = workers().at(0);
  auto number = client.request(pool, 1);
  run();
  auto remove = client.request(pool, caf::sys_atom{}, caf::delete_atom{},
                               first);
  run();
  CHECK_FALSE(client.answer_to(remove).came());
  CHECK(workers().empty());
  deliver(0, 3);
  CHECK(client.answer_to(number).get<int>() == 3);
  CHECK(client.answer_to(remove).is_empty());
  kill(first);
}

TEST_CASE_FIXTURE(
  world,
  "each request gets one error if the pool is killed with promises open") {
  populate(2, promising());
  auto first = client.request(pool, 1);
  auto second = client.request(pool, 2);
  auto third = client.request(pool, 3);
  run();
  kill(pool);
  run();
  for (auto number : {first, second, third}) {
    CHECK(client.answer_to(number).count == 1);
    CHECK(client.answer_to(number).error());
  }
  CHECK(client.answer_to(third).error() == errc::pool_closed);
}

TEST_CASE(
  "requests are answered once if workers with open promises are killed") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1 + seed % 3;
    w.options.when_empty = libpool::when_empty::wait;
    w.populate(3, w.promising());
    auto ws = w.workers();
    std::vector<std::uint64_t> sent;
    for (auto i = 0; i < 8; ++i)
      sent.push_back(w.client.request(w.pool, i));
    for (auto i = seed % 6; i > 0; --i)
      w.step();
    w.kill(ws[0]);
    w.step();
    w.kill(ws[1]);
    w.run();
    for (std::size_t i = 0; i < w.promises.size(); ++i)
      if (caf::actor_cast<caf::actor>(w.holders[i]) == ws[2])
        w.deliver(i, 1);
    for (auto number : sent)
      CHECK(w.client.answer_to(number).count == 1);
    CHECK(w.books().open() == 0);
    w.holders.clear();
  }
}

TEST_CASE_FIXTURE(
  world, "a task without an answer runs from the start of its handler") {
  populate(1, promising());
  client.request(pool, 1);
  auto sent = stats().taken;
  run();
  pass(5s);
  CHECK(stats().is_timed);
  CHECK(stats().longest_running == sent);
  CHECK(stats().members.at(0).running_since == sent);
  deliver(0, 1);
  CHECK(stats().longest_running == libpool::never);
  CHECK(stats().members.at(0).running_since == libpool::never);
}

TEST_CASE_FIXTURE(world, "the member is_timed of the stats is false if the "
                         "option measure_times is false") {
  options.busy_until = libpool::busy_until::handler;
  options.measure_times = false;
  populate(1, promising());
  CHECK(!stats().is_timed);
}

} // namespace managed_late_answers_tests
