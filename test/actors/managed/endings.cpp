/// Workers, replacements and tasks that end in unusual ways.

#include "leasing_world.hpp"
#include "support/brittle.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace managed_endings_tests {

using namespace std::chrono_literals;

using libpool::errc;
using libpool::outcome;
using test::crash;
using test::managed_world;
using world = managed_world;
using test::scripted;

TEST_CASE_FIXTURE(
  world, "RESIZE does not count workers that have quit but are still alive") {
  options.busy_until = libpool::busy_until::answer;
  options.window = 2;
  options.when_empty = libpool::when_empty::wait;
  test::probe silent{*this};
  populate(3, [this, &silent](scripted& self) -> caf::behavior {
    return {[this, &self, to = silent.handle()](int x) {
      promises.push_back(self.make_response_promise());
      if (x == 0) {
        self.quit();
        self.request(to, caf::infinite, 1).then([](int) {});
      }
      return promises.back();
    }};
  });
  for (auto x : {0, 0, 1, 1, 1, 1})
    client.request(pool, x);
  run();
  REQUIRE(workers().size() == 1);
  resize(1);
  run();
  CHECK(workers().size() == 1);
  silent->inbox.clear(); // now they may go
  while (!promises.empty()) {
    promises.clear();
    run();
  }
}

TEST_CASE_FIXTURE(world, "a message whose copy constructor throws is "
                         "handled, also if it may be retried") {
  options.on_crash = libpool::retry{1};
  populate(1, [](scripted&) -> caf::behavior {
    return {[](const test::brittle&) {}, [](int x) { return 2 * x; }};
  });
  auto element = libpool::make_element(
    client.pointer(), caf::make_message_id(77), test::brittle{});
  test::brittle::breaks = true;
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(std::move(element),
                                                       nullptr);
  test::brittle::breaks = false;
  run();
  CHECK(client.answer_to(77).is_empty());
  CHECK(client.ask(pool, 5).get<int>() == 10);
}

TEST_CASE_FIXTURE(
  world, "on_settled is called with the client of a task for every outcome") {
  options.deadline = 10ms;
  std::vector<bool> was_client;
  on_settled = [this, &was_client](const libpool::settled_task& settled) {
    was_client.push_back(settled.client == client.pointer()
                         && settled.id.is_request());
  };
  populate(1, doubling());
  client.ask(pool, 1);
  client.request(pool, 2);
  client.request(pool, 3);
  advance(11ms);
  exit(pool, caf::exit_reason::user_shutdown);
  run();
  client.ask(pool, 4);
  CHECK(was_client == std::vector<bool>(4, true));
  CHECK(fates.back().how == outcome::refused);
  CHECK(fates.back().accepted == libpool::never);
  on_settled = nullptr;
}

// -- pools without handles ----------------------------------------------------

namespace {

/// A pool that waits for workers, whose last handle is dropped by the test.
struct waiting_world : managed_world {
  waiting_world() {
    options.when_empty = libpool::when_empty::wait;
  }

  ~waiting_world() {
    if (auto left = caf::actor_cast<caf::actor>(address))
      exit(left, caf::exit_reason::user_shutdown); // a test has failed
  }

  void drop() {
    address = pool.address();
    pool = nullptr;
  }

  bool is_gone() const {
    return caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr;
  }

  caf::actor worker() {
    return system().spawn<scripted>(doubling());
  }

  caf::actor_addr address;
};

} // namespace

TEST_CASE_FIXTURE(waiting_world, "when the last handle of a pool without "
                                 "workers is released, its waiting messages "
                                 "fail unless a worker is joining") {
  make_empty();
  auto number = client.request(pool, 1);
  client.send(pool, 3);
  run();
  CHECK(!client.answer_to(number).came());
  SUBCASE("no worker") {
    on_settled = [this](const libpool::settled_task&) {
      if (auto found = caf::actor_cast<caf::actor>(address))
        libpool::actor_pool::stats(found);
    };
    drop();
    CHECK(is_gone());
    CHECK(client.answer_to(number).error() == errc::no_workers);
    CHECK(count(outcome::failed) == 2);
  }
  SUBCASE("a worker") {
    client.send(pool, caf::sys_atom{}, caf::put_atom{}, worker());
    drop();
    CHECK(!is_gone());
    run();
    CHECK(client.answer_to(number).get<int>() == 2);
    CHECK(is_gone());
  }
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(waiting_world, "a pool without handles fails its waiting "
                                 "messages when its last worker ends") {
  restart(0);
  options.window = 1;
  caf::actor only;
  populate_by(1, [this, &only] { return only = worker(); });
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 300; ++i)
    sent.push_back(client.request(pool, i));
  drop();
  CHECK(!is_gone());
  SUBCASE("that crashes") {
    kill(only);
  }
  SUBCASE("that is shut down") {
    caf::anon_send<caf::message_priority::high>(
      only, caf::exit_msg{only.address(), caf::exit_reason::user_shutdown});
  }
  only = nullptr;
  run();
  CHECK(is_gone());
  CHECK(doubled.empty());
  for (auto number : sent)
    CHECK(client.answer_to(number).error() == errc::no_workers);
  CHECK(count(outcome::failed) == sent.size());
}

TEST_CASE_FIXTURE(waiting_world,
                  "a pool whose last handle is gone keeps its waiting messages "
                  "until a crashed worker is replaced") {
  restart(1, 10ms);
  options.on_crash = libpool::retry{1};
  auto runs = 0;
  populate(1, [&runs](scripted&) -> caf::behavior {
    return {[&runs](int x) {
      if (++runs == 1)
        crash();
      return 2 * x;
    }};
  });
  auto number = client.request(pool, 1);
  drop();
  run();
  CHECK(!is_gone());
  advance(10ms);
  CHECK(client.answer_to(number).get<int>() == 2);
  CHECK(is_gone());
}

TEST_CASE_FIXTURE(waiting_world,
                  "a pool without handles waits for the answer of a worker "
                  "that was taken out, even to a task past its deadline") {
  options.busy_until = libpool::busy_until::answer;
  options.window = 1;
  auto is_late = false;
  SUBCASE("in time") {}
  SUBCASE("past its deadline") {
    options.deadline = 10ms;
    is_late = true;
  }
  populate(1, promising());
  auto first = client.request(pool, 1);
  auto second = is_late ? first : client.request(pool, 2);
  run();
  client.send(pool, caf::sys_atom{}, caf::delete_atom{});
  advance(11ms);
  CHECK(client.answer_to(first).came() == is_late);
  client->inbox.clear(); // an answer refers to the pool
  if (is_late)
    second = client.request(pool, 2);
  drop();
  CHECK(!is_gone());
  deliver(0, 5);
  CHECK(client.answer_to(first).get<int>() == (is_late ? 0 : 5));
  CHECK(client.answer_to(second).error() == errc::no_workers);
  CHECK(count(outcome::completed) == (is_late ? 0 : 1));
  CHECK(is_gone());
}

TEST_CASE_FIXTURE(waiting_world,
                  "a pool without handles does not wait for its factory") {
  restart(1'000'000'000);
  auto fails = false;
  caf::actor only;
  populate_by(1, [this, &fails, &only] {
    if (fails)
      throw std::runtime_error{"no more workers"};
    return only = worker();
  });
  fails = true;
  kill(std::exchange(only, nullptr));
  for (auto i = 0; i < 10; ++i) // the factory is asked again and again
    step();
  drop();
  for (auto i = 0; i < 10 && !is_gone(); ++i)
    step();
  CHECK(is_gone());
}

// -- busy pools ---------------------------------------------------------------

namespace {

/// A pool whose factory lets anything happen while the pool handles facts: the
/// next facts come in one round then.
struct busy_world : test::leasing_world {
  void populate_replacing(std::size_t n) {
    options.workers = n;
    options.restart.max = 1000;
    options.restart.pause = 0ns;
    pool = spawn([this] {
      if (auto now = std::exchange(in_round, nullptr))
        now();
      return make_worker();
    });
    run();
  }

  std::function<void()> in_round;
};

} // namespace

TEST_CASE("a pool that exits just after a worker has ended fails all waiting "
          "messages") {
  for (auto by_flow : {false, true})
    for (auto reason :
         {caf::exit_reason::user_shutdown, caf::exit_reason::kill}) {
      CAPTURE(by_flow);
      CAPTURE(reason);
      busy_world w;
      w.waits_in = by_flow ? busy_world::line::of_flows
                           : busy_world::line::of_arrival;
      w.populate_replacing(3);
      w.during = [](scripted& self, int x) {
        if (x == 20)
          self.quit(test::crash_reason);
      };
      w.in_round = [&w, reason] {
        while (w.step()) {
          // the other workers end their leases, which the pool hears of later
        }
        caf::anon_send_exit(w.pool, reason);
      };
      auto sent = w.request(1, 2000); // more than fail at once
      w.run();
      REQUIRE(w.in_round == nullptr);
      REQUIRE(w.stats().leases > 0);
      CHECK(w.stats().tasks.accepted == 2000);
      for (auto each : sent)
        CHECK(w.client.answer_to(each).count == 1);
    }
}

// -- the end of the actor system ----------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a pool ends when CAF's actor SpawnServ ends, unless the "
                  "actor system waits for its actors at shutdown") {
  auto waits = false;
  SUBCASE("the system does not wait") {}
  SUBCASE("the system waits") {
    waits = true;
  }
  populate(1, doubling());
  system().await_actors_before_shutdown(waits);
  exit(caf::actor_cast<caf::actor>(system().spawn_serv()),
       caf::exit_reason::user_shutdown);
  run();
  auto answer = client.ask(pool, 3);
  CHECK(answer.get<int>() == (waits ? 6 : 0));
  CHECK(answer.error()
        == (waits ? caf::error{} : caf::sec::request_receiver_down));
  system().await_actors_before_shutdown(false);
}

} // namespace managed_endings_tests
