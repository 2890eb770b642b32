/// Clients and pools that die in the middle of it, and workers that wait.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace managed_faults_tests {

using namespace std::chrono_literals;

using libpool::errc;
using libpool::outcome;
using test::crash;
using world = test::managed_world;
using test::scripted;

namespace {} // namespace

// -- clients ------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "when a client terminates, its requests are cancelled "
                         "and its asynchronous messages are handled") {
  SUBCASE("if workers answer clients") {}
  SUBCASE("if the pool relays the answers of workers") {
    options.deadline = 1h;
  }
  populate(1, doubling());
  test::probe mortal{*this};
  client.send(pool, 0); // keeps the worker busy
  mortal.request(pool, 1);
  mortal.send(pool, 2);
  mortal.request(pool, 3);
  auto number = client.request(pool, 4);
  mortal.die();
  run();
  CHECK(doubled == std::vector<int>{0, 2, 4});
  CHECK(client.answer_to(number).get<int>() == 8);
  CHECK(books().cancelled == 2);
  for (auto& each : fates)
    if (each.how == outcome::cancelled)
      CHECK(each.reason == errc::client_gone);
}

TEST_CASE_FIXTURE(world,
                  "a request whose client terminates while it runs completes") {
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  {
    test::probe mortal{*this};
    mortal.ask(pool, 1);
    mortal.die();
  }
  auto number = client.request(pool, 2);
  run();
  deliver(0, 1);
  deliver(1, 2);
  CHECK(client.answer_to(number).get<int>() == 2);
  CHECK(books().completed == 2);
}

namespace {

/// Asks the pool for each number, and counts the answers and errors.
scripted::script asking(const caf::actor& pool, int first, int last,
                        const std::shared_ptr<int>& answers) {
  return [=](scripted& self) -> caf::behavior {
    for (auto i = first; i < last; ++i)
      self.request(pool, caf::infinite, i)
        .then([answers](int) { ++*answers; },
              [answers](const caf::error&) { ++*answers; });
    return {[](const std::string&) {}};
  };
}

} // namespace

TEST_CASE(
  "each client is answered once if a pool is killed with requests in flight") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1 + seed % 4;
    if (seed % 2 == 0)
      w.options.deadline = 1h;
    if (seed % 3 == 0)
      w.options.on_crash = libpool::retry{1};
    w.populate(3, w.doubling());
    auto answers = std::make_shared<int>(0);
    std::vector<caf::actor> askers;
    for (auto i = 0; i < 4; ++i)
      askers.push_back(w.system().spawn<scripted>(
        asking(w.pool, 10 * i, 10 * i + 10, answers)));
    std::vector<std::uint64_t> sent;
    for (auto i = 0; i < 10; ++i)
      sent.push_back(w.client.request(w.pool, i));
    for (auto i = seed; i > 0; --i)
      w.step();
    w.kill(w.pool);
    w.run();
    CHECK(*answers == 40);
    for (auto number : sent)
      CHECK(w.client.answer_to(number).count == 1);
    for (auto& each : askers)
      w.kill(each);
    askers.clear();
  }
}

TEST_CASE_FIXTURE(world, "workers end with their pool, and with the exit "
                         "reason of the pool, if it has one") {
  populate(2, doubling());
  auto why = std::make_shared<std::vector<caf::error>>();
  for (auto& each : workers())
    each->attach_functor([why](const caf::error& x) { why->push_back(x); });
  caf::error expected = caf::exit_reason::remote_link_unreachable;
  SUBCASE("with a reason") {
    client.send(pool, caf::exit_msg{pool.address(), expected});
  }
  SUBCASE("without a reason") {
    client.send(pool, caf::exit_msg{pool.address(), caf::error{}});
    expected = caf::exit_reason::user_shutdown;
  }
  run();
  CHECK(*why == std::vector<caf::error>(2, expected));
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(world, "accepted messages are handled after the last handle "
                         "of the pool is released") {
  options.on_settled = nullptr;
  populate(1, doubling());
  caf::actor_addr address = pool.address();
  for (auto i = 0; i < 5; ++i)
    client.send(pool, i);
  pool = nullptr;
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) != nullptr);
  run();
  CHECK(doubled.size() == 5);
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
}

// -- workers that wait --------------------------------------------------------

namespace {

/// Adds 1 to the answer of the pool to x - 1; awaits it if `waits`.
scripted::script nesting(const std::shared_ptr<caf::actor>& pool, bool waits) {
  return [=](scripted& self) -> caf::behavior {
    return {[=, &self](int x) -> caf::result<int> {
      if (x == 0)
        return 1;
      auto promise = self.make_response_promise<int>();
      auto asked = self.request(*pool, 10ms, x - 1);
      auto add = [promise](int below) mutable { promise.deliver(below + 1); };
      auto fail = [promise](const caf::error&) mutable { promise.deliver(-1); };
      if (waits)
        asked.await(add, fail);
      else
        asked.then(add, fail);
      return promise;
    }};
  };
}

} // namespace

TEST_CASE(
  "workers that request from their own pool asynchronously do not block it") {
  for (auto seed = 1U; seed <= 20; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1 + seed % 3;
    auto self_pool = std::make_shared<caf::actor>();
    w.populate(2, nesting(self_pool, false));
    *self_pool = w.pool;
    std::vector<std::uint64_t> sent;
    for (auto i = 0; i < 10; ++i)
      sent.push_back(w.client.request(w.pool, i));
    w.run();
    for (std::size_t i = 0; i < 10; ++i)
      CHECK(w.client.answer_to(sent[i]).get<int>() == static_cast<int>(i) + 1);
    *self_pool = nullptr;
  }
}

TEST_CASE_FIXTURE(
  world,
  "a worker that waits for its own pool continues after its own time-out") {
  auto self_pool = std::make_shared<caf::actor>();
  populate(1, nesting(self_pool, true));
  *self_pool = pool;
  auto number = client.request(pool, 1);
  run();
  CHECK_FALSE(client.answer_to(number).came());
  advance(11ms);
  CHECK(client.answer_to(number).get<int>() == -1);
  CHECK(client.ask(pool, 0).get<int>() == 1);
  *self_pool = nullptr;
}

TEST_CASE_FIXTURE(
  world,
  "a worker that never fulfils its promise does not delay the other workers, "
  "and DELETE of it is answered when its promise is gone") {
  options.deadline = 10ms;
  options.busy_until = libpool::busy_until::answer;
  populate(2, [this](scripted& self) -> caf::behavior {
    return {[this, &self](int x) -> caf::result<int> {
      if (x != 0)
        return x;
      promises.push_back(self.make_response_promise());
      return caf::delegated<int>{};
    }};
  });
  auto hanging = client.request(pool, 0);
  run();
  advance(11ms);
  CHECK(client.answer_to(hanging).error() == errc::deadline_exceeded);
  for (auto i = 1; i < 5; ++i)
    CHECK(client.ask(pool, i).get<int>() == i);
  CHECK(stats().members.at(0).completed + stats().members.at(1).completed == 4);
  auto first = workers().at(0);
  auto number = client.request(pool, caf::sys_atom{}, caf::delete_atom{},
                               first);
  CHECK_FALSE(client.answer_to(number).came());
  promises.clear();
  run();
  CHECK(client.answer_to(number).is_empty());
  kill(first);
}

// -- everything at once -------------------------------------------------------

TEST_CASE("each request is answered once, and task counters add up, despite "
          "crashes, resizes and terminated clients") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1 + seed % 4;
    w.options.restart.max = 1000;
    w.options.restart.pause = 1ms;
    w.options.restart.longest_pause = 4ms;
    w.options.when_empty = libpool::when_empty::wait;
    if (seed % 2 == 0)
      w.options.on_crash = libpool::retry{1};
    if (seed % 3 == 0)
      w.options.deadline = 20ms;
    if (seed % 5 == 0)
      w.options.busy_until = libpool::busy_until::answer;
    if (seed % 7 == 0) {
      w.options.capacity = 6;
      w.options.on_overflow = libpool::overflow::drop_oldest;
    }
    w.populate(3, [](scripted& self) -> caf::behavior {
      return {[&self](int x) {
        if (x % 7 == 0)
          crash();
        if (x % 11 == 0)
          self.quit();
        return x;
      }};
    });
    std::mt19937 draw{seed};
    std::vector<std::uint64_t> sent;
    for (auto i = 1; i <= 80; ++i) {
      switch (draw() % 12) {
        case 0:
          w.client.send(w.pool, caf::sys_atom{}, libpool::resize_atom{},
                        1 + static_cast<int>(draw() % 4));
          break;
        case 1: {
          auto members = w.stats().members;
          if (!members.empty())
            w.kill(members[draw() % members.size()].worker);
          break;
        }
        case 2:
          w.advance(2ms);
          break;
        case 3:
          w.client.send(w.pool, i);
          break;
        case 4: {
          test::probe mortal{w};
          mortal.request(w.pool, i);
          mortal.die();
          break;
        }
        default:
          sent.push_back(w.client.request(w.pool, i));
      }
      w.step();
      CHECK(w.books().balances());
    }
    // Workers that quit are not replaced by themselves.
    for (auto i = 0; i < 100 && w.books().open() > 0; ++i) {
      w.client.send(w.pool, caf::sys_atom{}, libpool::resize_atom{}, 2);
      w.advance(10ms);
    }
    for (auto number : sent)
      CHECK(w.client.answer_to(number).came());
    CHECK(w.books().open() == 0);
  }
}

} // namespace managed_faults_tests
