/// Workers that skip messages: to await an answer, or until they die.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace managed_skipping_tests {

using libpool::errc;
using libpool::outcome;
using test::managed_world;
using test::scripted;

namespace {

struct world : managed_world {
  explicit world(std::uint64_t seed = 0) : managed_world(seed) {
    options.window = 4;
    options.when_empty = libpool::when_empty::wait;
  }

  std::shared_ptr<std::vector<int>> seen = std::make_shared<std::vector<int>>();
  std::size_t made = 0;

  /// The first worker skips all messages, others double them.
  void populate_skipping(std::size_t n) {
    populate(n, [this](scripted& self) -> caf::behavior {
      if (made++ == 0)
        return skipping(self);
      return test::doubling(seen)(self);
    });
  }

  static caf::behavior skipping(scripted& self) {
    self.set_default_handler(caf::skip);
    return {[](caf::ok_atom) {}};
  }
};

/// Awaits the answer of a helper for each message.
scripted::script awaiting(const caf::actor& helper) {
  return [helper](scripted& self) -> caf::behavior {
    return {[&self, helper](int x) {
      auto promise = self.make_response_promise();
      self.request(helper, caf::infinite, x).await([promise](int y) mutable {
        promise.deliver(y);
      });
      return promise;
    }};
  };
}

} // namespace

TEST_CASE("a worker that awaits answers of other actors handles all messages, "
          "even if some are urgent") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    world w{seed};
    auto helper = w.system().spawn<test::doubler>();
    w.populate(1, awaiting(helper));
    std::vector<std::uint64_t> sent;
    for (auto i = 0; i < 32; ++i) {
      if (i % 4 == 0) {
        sent.push_back(1000 + sent.size());
        auto id = caf::make_message_id(sent.back()).with_high_priority();
        caf::actor_cast<caf::abstract_actor*>(w.pool)->enqueue(
          libpool::make_element(w.client.pointer(), id, i), nullptr);
      } else {
        sent.push_back(w.client.request(w.pool, i));
      }
      w.step();
    }
    w.run();
    for (std::size_t i = 0; i < sent.size(); ++i) {
      CAPTURE(i);
      CHECK(w.client.answer_to(sent[i]).get<int>() == 2 * static_cast<int>(i));
    }
    CHECK(w.books().completed == 32);
  }
}

TEST_CASE_FIXTURE(
  world,
  "asynchronous messages skipped by a killed worker run on another worker") {
  populate_skipping(1);
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  run();
  CHECK(put(system().spawn<scripted>(test::doubling(seen))).is_empty());
  kill(workers().front());
  run();
  CHECK(*seen == std::vector<int>{0, 1, 2});
  CHECK(books().completed == 3);
}

TEST_CASE_FIXTURE(world, "asynchronous messages that a worker has skipped run "
                         "on another worker when the worker quits") {
  populate(1, [](scripted& self) -> caf::behavior {
    self.set_default_handler(caf::skip);
    return {[&self](caf::ok_atom) { self.quit(); }};
  });
  auto quits = workers().front();
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  run();
  CHECK(put(system().spawn<scripted>(test::doubling(seen))).is_empty());
  caf::anon_send(quits, caf::ok_atom{});
  run();
  CHECK(*seen == std::vector<int>{0, 1, 2});
  CHECK(books().completed == 3);
}

TEST_CASE_FIXTURE(
  world,
  "a request skipped by a killed worker fails if CAF answers its client") {
  populate_skipping(1);
  auto number = client.request(pool, 1);
  run();
  CHECK(put(system().spawn<scripted>(test::doubling(seen))).is_empty());
  kill(workers().front());
  run();
  CHECK(client.answer_to(number).count == 1);
  REQUIRE(fates.size() == 1);
  if (test::skipped_requests_bounce) {
    CHECK(client.answer_to(number).error() == caf::sec::request_receiver_down);
    CHECK(fates[0].how == outcome::failed);
    CHECK(fates[0].reason == errc::worker_crashed);
  } else {
    CHECK(client.answer_to(number).get<int>() == 2); // of the other worker
    CHECK(fates[0].how == outcome::completed);
  }
}

TEST_CASE_FIXTURE(world, "a request that a killed worker has skipped runs on "
                         "another worker if the pool relays answers") {
  options.deadline = std::chrono::hours{1};
  populate_skipping(1);
  auto number = client.request(pool, 1);
  run();
  CHECK(put(system().spawn<scripted>(test::doubling(seen))).is_empty());
  kill(workers().front());
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<int>() == 2);
}

TEST_CASE_FIXTURE(world,
                  "a request skipped by a worker that quits is answered once") {
  test::probe helper{*this};
  populate(1, [&](scripted& self) -> caf::behavior {
    self.set_default_handler(caf::skip);
    return {
      [&self, to = helper.handle()](caf::ok_atom) {
        self.request(to, caf::infinite, 0).then([&self](int) { self.quit(); });
      },
    };
  });
  auto first = workers().front();
  caf::anon_send(first, caf::ok_atom{});
  auto number = client.request(pool, 1);
  run();
  CHECK(put(system().spawn<scripted>(test::doubling(seen))).is_empty());
  helper.answer(0, 1);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK((client.answer_to(number).error() == caf::sec::request_receiver_down)
        == test::skipped_requests_bounce);
}

TEST_CASE_FIXTURE(world, "a request counts as completed if its worker answers, "
                         "even if the worker fails later in the same handler") {
  options.on_crash = libpool::retry{3};
  auto runs = std::make_shared<int>(0);
  SUBCASE("retries are on") {}
  SUBCASE("retries are off") {
    options.on_crash = libpool::fail{};
  }
  populate(2, [runs](scripted& self) -> caf::behavior {
    return {[runs, &self](int x) {
      ++*runs;
      self.quit(caf::exit_reason::remote_link_unreachable);
      return 2 * x;
    }};
  });
  auto number = client.request(pool, 21);
  run();
  CHECK(*runs == 1);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<int>() == 42);
  CHECK(books().completed == 1);
  CHECK(books().failed == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a task that is answered with an error counts as completed with an error") {
  options.deadline = std::chrono::hours{1};
  auto told = 0;
  on_settled = [&](const libpool::settled_task& task) {
    told += task.answered_with_error ? 1 : 0;
  };
  populate(1, [](scripted&) -> caf::behavior {
    return {[](int x) -> caf::result<int> {
      if (x < 0)
        return caf::sec::invalid_argument;
      return x;
    }};
  });
  CHECK(client.ask(pool, -1).error() == caf::sec::invalid_argument);
  CHECK(client.ask(pool, 1).get<int>() == 1);
  CHECK(books().completed == 2);
  CHECK(stats().answered_with_error == 1);
  CHECK(told == 1);
}

TEST_CASE_FIXTURE(world, "the client and on_settled get the same error about a "
                         "crash, with the text of the exception") {
  SUBCASE("with a deadline") {
    options.deadline = std::chrono::hours{1};
  }
  SUBCASE("with retries that are used up") {
    options.on_crash = libpool::retry{1};
    options.poison_after = 1;
  }
  SUBCASE("with workers that are busy until the answer") {
    options.busy_until = libpool::busy_until::answer;
  }
  populate(3, [](scripted&) -> caf::behavior {
    return {[](int) -> int { test::crash(); }};
  });
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(libpool::is_crash(answer.error()));
  auto text = to_string(answer.error());
  CHECK(text.find("crash") != std::string::npos);
  REQUIRE(fates.size() == 1);
  CHECK(fates[0].reason == answer.error());
  CHECK(to_string(fates[0].reason).find("crashed: crash") != std::string::npos);
}

} // namespace managed_skipping_tests
