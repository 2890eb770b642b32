/// How much a managed pool takes, and for how long.

#include "support/managed_world.hpp"

#include <chrono>

namespace managed_limits_tests {

using namespace std::chrono_literals;

using libpool::errc;
using libpool::managed_options;
using libpool::outcome;
using test::scripted;
using numbers = std::vector<int>;
using world = test::managed_world;

TEST_CASE("the error about an option out of bounds names the option") {
  CHECK_NOTHROW(check(managed_options{}));
  using options = managed_options&;
  const std::vector<std::pair<std::string, void (*)(options)>> changes{
    {"window", [](options o) { o.window = 0; }},
    {"deadline", [](options o) { o.deadline = 0ns; }},
    {"times", [](options o) { o.on_crash = libpool::retry{0}; }},
    {"capacity",
     [](options o) { o.on_overflow = libpool::overflow::drop_oldest; }},
    {"period", [](options o) { o.restart.period = 0ns; }},
    {"pause", [](options o) { o.restart.pause = -1ns; }},
    {"longest_pause",
     [](options o) {
       o.restart.pause = 2s;
       o.restart.longest_pause = 1s;
     }},
    {"name", [](options o) { o.name.clear(); }}};
  for (const auto& [name, change] : changes) {
    managed_options changed;
    change(changed);
    auto why =
      test::complaint([&] { libpool::actor_pool::shared_queue(changed); });
    CHECK(test::has(why, name));
    CHECK(test::complaint([&] { check(changed); }) == why);
  }
}

// -- capacity -----------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a full pool refuses messages at once, and "
                         "on_refused gets the asynchronous ones") {
  options.capacity = 2;
  pool = libpool::actor_pool::make(
    system(), 1, [&] { return system().spawn<scripted>(doubling()); },
    libpool::actor_pool::shared_queue(options), noting_refusals());
  for (auto i = 0; i < 4; ++i)
    client.send(pool, i); // one goes to the worker, two wait
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].reason == errc::queue_full);
  CHECK(refusals[0].content.get_as<int>(0) == 3);
  CHECK(refusals[0].sender == client.pointer());
  auto number = client.request(pool, 3);
  CHECK(client.answer_to(number).error() == errc::queue_full);
  CHECK(books().refused == 2);
  run();
  CHECK(doubled == numbers{0, 1, 2});
  CHECK(client.ask(pool, 4).get<int>() == 8);
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(world, "a full pool answers management requests") {
  options.capacity = 1;
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  client.request(pool, 1);
  client.request(pool, 2);
  CHECK(client.ask(pool, 3).error() == errc::queue_full);
  CHECK(workers().size() == 1);
  auto stats_now = client.ask(pool, caf::sys_atom{}, libpool::stats_atom{})
                     .get<libpool::pool_stats>();
  CHECK(stats_now.tasks.refused == 1);
  auto more = system().spawn<scripted>(promising());
  CHECK(put(more).is_empty());
  CHECK(books().running == 2);
  kill(more);
  promises.clear();
}

TEST_CASE_FIXTURE(world, "a full pool can drop the oldest waiting message") {
  options.capacity = 2;
  options.on_overflow = libpool::overflow::drop_oldest;
  populate(1, doubling());
  client.send(pool, 0);
  auto oldest = client.request(pool, 1);
  client.send(pool, 2);
  client.send(pool, 3);
  CHECK(error_of(oldest) == errc::queue_full);
  CHECK(count(outcome::cancelled) == 1);
  run();
  CHECK(doubled == numbers{0, 2, 3});
  CHECK(client.answer_to(oldest).count == 1);
}

// -- deadlines ----------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a task whose deadline passes while it waits is "
                         "cancelled, and does not start") {
  options.deadline = 10ms;
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  auto first = request(1);
  advance(6ms);
  auto second = client.request(pool, 2);
  client.send(pool, 3);
  advance(5ms); // the first hangs
  CHECK(error_of(first) == errc::deadline_exceeded);
  CHECK_FALSE(is_answered(second));
  advance(6ms);
  CHECK(error_of(second) == errc::deadline_exceeded);
  CHECK(promises.size() == 1);
  CHECK(books().cancelled == 3);
  CHECK(books().open() == 0);
  deliver(0, 2); // too late
  CHECK(error_of(first) == errc::deadline_exceeded);
  auto next = request(4); // the worker works again
  deliver(1, 4);
  CHECK(result_of(next) == 4);
}

TEST_CASE_FIXTURE(world, "a worker that hangs gets no more tasks, and its "
                         "waiting tasks go to another worker") {
  options.deadline = 10ms;
  options.window = 4;
  options.busy_until = libpool::busy_until::answer;
  populate(1, [this](scripted& self) -> caf::behavior {
    return {[this, &self](int x) {
      doubled.push_back(x);
      promises.push_back(self.make_response_promise());
      self.set_default_handler(caf::skip);
      self.become([](const std::string&) {});
      return promises.back();
    }};
  });
  auto hanging = request(1);
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
    CHECK(is_answered(number));
  promises.clear();
  run();
  CHECK(client.answer_to(hanging).count == 1);
}

TEST_CASE_FIXTURE(world,
                  "a task whose deadline passes in a mailbox is taken back") {
  options.deadline = 10ms;
  options.window = 3;
  populate(1, doubling());
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 5; ++i) {
    sent.push_back(client.request(pool, i));
    client.send(pool, i);
  }
  // The clock goes on while no actor runs.
  pass(11ms);
  for (auto number : sent)
    CHECK(error_of(number) == errc::deadline_exceeded);
  run();
  CHECK(doubled.empty());
  CHECK(books().cancelled == 10);
  CHECK(client.received() == 5);
  CHECK(client.ask(pool, 1).get<int>() == 2);
}

} // namespace managed_limits_tests
