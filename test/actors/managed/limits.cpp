/// How much a managed pool takes, and for how long.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace managed_limits_tests {

using namespace std::chrono_literals;

using libpool::errc;
using libpool::managed_options;
using libpool::outcome;
using test::managed_world;
using test::scripted;

namespace {

using numbers = std::vector<int>;

struct world : managed_world {
  std::shared_ptr<numbers> seen = std::make_shared<numbers>();
};

void check_refused(const managed_options& options, const std::string& name) {
  try {
    check(options);
    FAIL("accepted: ", name);
  } catch (const std::invalid_argument& e) {
    CHECK(std::string{e.what()}.find(name) != std::string::npos);
  }
  CHECK_THROWS_AS(libpool::actor_pool::shared_queue(options),
                  std::invalid_argument);
}

} // namespace

TEST_CASE("the error about an option out of bounds names the option") {
  managed_options good;
  CHECK_NOTHROW(check(good));
  auto with = [&](auto change) {
    auto result = good;
    change(result);
    return result;
  };
  using options = managed_options&;
  check_refused(with([](options o) { o.window = 0; }), "window");
  check_refused(with([](options o) { o.deadline = 0ns; }), "deadline");
  check_refused(with([](options o) { o.deadline = -1ns; }), "deadline");
  check_refused(with([](options o) { o.on_crash = libpool::retry{0}; }),
                "times");
  check_refused(
    with([](options o) { o.on_overflow = libpool::overflow::drop_oldest; }),
    "capacity");
  check_refused(with([](options o) { o.restart.period = 0ns; }), "period");
  check_refused(with([](options o) { o.restart.pause = -1ns; }), "pause");
  check_refused(with([](options o) {
                  o.restart.pause = 2s;
                  o.restart.longest_pause = 1s;
                }),
                "longest_pause");
  check_refused(with([](options o) { o.name.clear(); }), "name");
}

// -- capacity -----------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a full pool refuses messages at once") {
  options.capacity = 2;
  populate(1, test::doubling(seen));
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i); // one goes to the worker, two wait
  auto number = client.request(pool, 3);
  CHECK(client.answer_to(number).error() == errc::queue_full);
  CHECK(books().refused == 1);
  run();
  CHECK(*seen == numbers{0, 1, 2});
  CHECK(client.ask(pool, 4).get<int>() == 8);
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(
  world, "on_refused gets asynchronous messages that a full pool refuses") {
  std::vector<libpool::refusal> refused;
  libpool::pool_options told;
  told.on_refused = [&](libpool::refusal& refusal) {
    refused.push_back(std::move(refusal));
  };
  options.capacity = 0;
  pool = libpool::actor_pool::make(
    system(), 1, [&] { return system().spawn<scripted>(promising()); },
    libpool::actor_pool::shared_queue(options), told);
  run();
  client.send(pool, 1); // the worker takes it
  client.send(pool, 2);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].reason == errc::queue_full);
  CHECK(refused[0].content.get_as<int>(0) == 2);
  CHECK(refused[0].sender == client.pointer());
  run();
  CHECK(promises.size() == 1);
}

TEST_CASE_FIXTURE(world, "a full pool answers management requests") {
  options.capacity = 1;
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  auto first = workers().at(0);
  client.request(pool, 1);
  client.request(pool, 2);
  CHECK(client.ask(pool, 3).error() == errc::queue_full);
  CHECK(workers().size() == 1);
  auto stats_now = client.ask(pool, caf::sys_atom{}, libpool::stats_atom{})
                     .get<libpool::pool_stats>();
  CHECK(stats_now.tasks.refused == 1);
  auto more = system().spawn<scripted>(promising());
  CHECK(put(more).is_empty());
  run();
  CHECK(books().running == 2);
  client.request(pool, 4);
  CHECK(client.ask(pool, 5).error() == errc::queue_full);
  auto remove = client.request(pool, caf::sys_atom{}, caf::delete_atom{}, more);
  auto drain = client.request(pool, caf::sys_atom{}, libpool::drain_atom{});
  run();
  CHECK_FALSE(client.answer_to(remove).came());
  CHECK_FALSE(client.answer_to(drain).came());
  deliver(1, 0);
  run();
  CHECK(client.answer_to(remove).is_empty());
  kill(more);
  deliver(0, 0);
  run();
  deliver(2, 0);
  run();
  CHECK(client.answer_to(drain).is_empty());
}

TEST_CASE_FIXTURE(world, "a full pool can drop the oldest waiting message") {
  options.capacity = 2;
  options.on_overflow = libpool::overflow::drop_oldest;
  populate(1, test::doubling(seen));
  client.send(pool, 0);
  auto oldest = client.request(pool, 1);
  client.send(pool, 2);
  client.send(pool, 3);
  CHECK(client.answer_to(oldest).error() == errc::queue_full);
  CHECK(count(outcome::cancelled) == 1);
  run();
  CHECK(*seen == numbers{0, 2, 3});
  CHECK(client.answer_to(oldest).count == 1);
}

// -- deadlines ----------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a task whose deadline passes while it waits is "
                         "cancelled, and does not start") {
  options.deadline = 10ms;
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  auto first = client.request(pool, 1);
  run();
  advance(6ms);
  auto second = client.request(pool, 2);
  client.send(pool, 3);
  advance(5ms); // the first hangs
  CHECK(client.answer_to(first).error() == errc::deadline_exceeded);
  CHECK_FALSE(client.answer_to(second).came());
  advance(6ms);
  CHECK(client.answer_to(second).error() == errc::deadline_exceeded);
  CHECK(promises.size() == 1);
  CHECK(books().cancelled == 3);
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a request that was answered in time gets no second answer at its deadline") {
  options.deadline = 10ms;
  populate(1, promising());
  auto number = client.request(pool, 1);
  run();
  CHECK(books().completed == 1); // the handler has returned
  deliver(0, 2);
  CHECK(client.answer_to(number).get<int>() == 2);
  advance(20ms);
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(
  world,
  "with busy_until::answer a request without an answer at its deadline fails") {
  options.deadline = 10ms;
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  auto number = client.request(pool, 1);
  run();
  advance(11ms);
  CHECK(client.answer_to(number).error() == errc::deadline_exceeded);
  CHECK(books().cancelled == 1);
  deliver(0, 2);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::deadline_exceeded);
  SUBCASE("the worker works again after its late answer") {
    auto next = client.request(pool, 3);
    run();
    deliver(1, 4);
    CHECK(client.answer_to(next).get<int>() == 4);
  }
}

TEST_CASE_FIXTURE(world, "a worker that hangs gets no more tasks, and its "
                         "waiting tasks go to another worker") {
  options.deadline = 10ms;
  options.window = 4;
  options.busy_until = libpool::busy_until::answer;
  populate(1, [this](scripted& self) -> caf::behavior {
    return {[this, &self](int x) {
      seen->push_back(x);
      promises.push_back(self.make_response_promise());
      self.set_default_handler(caf::skip);
      self.become([](const std::string&) {});
      return promises.back();
    }};
  });
  auto hanging = client.request(pool, 1);
  run();
  advance(5ms);
  std::vector<std::uint64_t> others;
  for (auto i = 2; i <= 4; ++i)
    others.push_back(client.request(pool, i));
  CHECK(books().sent == 3);
  advance(6ms);
  CHECK(client.answer_to(hanging).error() == errc::deadline_exceeded);
  auto helper = system().spawn<test::doubler>();
  put(helper);
  run();
  CHECK(stats().members.at(0).in_flight >= 1);
  for (auto number : others)
    CHECK(client.answer_to(number).came());
  promises.clear();
  run();
  CHECK(client.answer_to(hanging).count == 1);
}

TEST_CASE_FIXTURE(world,
                  "a task whose deadline passes in a mailbox is taken back") {
  options.deadline = 10ms;
  options.window = 3;
  populate(1, test::doubling(seen));
  std::vector<std::uint64_t> numbers_of;
  for (auto i = 0; i < 5; ++i)
    numbers_of.push_back(client.request(pool, i));
  // The clock goes on while no actor runs.
  pass(11ms);
  for (auto number : numbers_of) {
    CHECK(client.answer_to(number).count == 1);
    CHECK(client.answer_to(number).error() == errc::deadline_exceeded);
  }
  run();
  CHECK(seen->empty());
  CHECK(books().cancelled == 5);
  CHECK(client.ask(pool, 1).get<int>() == 2);
}

TEST_CASE_FIXTURE(world,
                  "an asynchronous message is cancelled at its deadline") {
  options.deadline = 10ms;
  populate(1, test::doubling(seen));
  client.send(pool, 0);
  client.send(pool, 1);
  pass(11ms);
  CHECK(books().cancelled == 2);
  run();
  CHECK(seen->empty());
  CHECK(client.received() == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a client is answered once, whether the answer or the deadline comes first") {
  options.deadline = 10ms;
  populate(2, test::doubling(seen));
  for (auto i = 0; i < 20; ++i) {
    auto number = client.request(pool, i);
    if (i % 2 == 0)
      run();
    advance(i % 3 == 0 ? 11ms : 1ms);
    CHECK(client.answer_to(number).count == 1);
  }
  CHECK(books().accepted == 20);
}

} // namespace managed_limits_tests
