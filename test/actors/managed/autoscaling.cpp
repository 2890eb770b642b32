/// Pools that choose their number of workers.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace managed_autoscaling_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::autoscale;
using libpool::errc;
using test::managed_world;
using test::scripted;

namespace {

struct world : managed_world {
  void make(const autoscale& rule, std::size_t n) {
    options.autoscale = rule;
    populate(n, promising());
  }

  /// Sends `n` requests, which workers begin if they have room.
  void send(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      client.request(pool, static_cast<int>(i));
    run();
  }

  /// Has each of the workers end what it has begun.
  void end_all() {
    for (auto first = delivered; delivered < promises.size(); ++delivered)
      caf::anon_send(caf::actor{holders.at(delivered)}, caf::ok_atom{},
                     delivered, static_cast<int>(first));
    run();
  }

  /// Lets that many intervals pass.
  void pass_intervals(int n) {
    for (auto i = 0; i < n; ++i)
      advance(1s);
  }

  std::size_t delivered = 0;
};

constexpr autoscale one_to_eight{1, 8, 20ms, 3s, 1s};

} // namespace

TEST_CASE_FIXTURE(world, "a pool makes workers while messages wait for longer "
                         "than the target, and retires idle ones after the "
                         "cooldown") {
  options.busy_until = libpool::busy_until::answer;
  make(one_to_eight, 1);
  send(20);
  CHECK(stats().workers == 1);
  advance(1s);
  CHECK(stats().workers == 2);
  CHECK(stats().wanted == 2);
  CHECK(stats().wanted_why == "p95 of waits 1 s > 20 ms");
  pass_intervals(7);
  CHECK(stats().workers == 8); // 3, 4, 5, …
  CHECK(test::has(stats().wanted_why, "but at most 8"));
  while (delivered < promises.size())
    end_all();
  CHECK(books().completed == 20);
  pass_intervals(4); // the last long waits are in the first of them
  CHECK(stats().workers == 8);
  pass_intervals(1);
  CHECK(stats().workers == 7);
  pass_intervals(20);
  CHECK(stats().workers == 1);
  CHECK(stats().departed.removed == 7);
  CHECK(alarms() == 0); // an idle pool is not woken
}

TEST_CASE_FIXTURE(world, "an idle pool may have no worker; a message makes the "
                         "first one") {
  options.busy_until = libpool::busy_until::answer;
  options.when_empty = libpool::when_empty::end;
  make({0, 8, 20ms, 1s, 1s}, 0);
  CHECK(stats().workers == 0);
  CHECK(alarms() == 0);
  for (auto round = 0; round < 2; ++round) {
    send(1);
    CHECK(stats().workers == 1);
    CHECK(stats().wanted_why == "a message waits");
    end_all();
    pass_intervals(4);
    CHECK(stats().workers == 0); // and the pool lives
    CHECK(alarms() == 0);
  }
  CHECK(books().completed == 2);
}

TEST_CASE_FIXTURE(world, "workers that are needed no longer end what they have "
                         "begun") {
  options.busy_until = libpool::busy_until::answer;
  make({1, 4, 20ms, 1s, 1s}, 4);
  send(4);
  pass_intervals(9);
  CHECK(stats().workers == 4);
  end_all();
  CHECK(books().completed == 4);
  pass_intervals(9);
  CHECK(stats().workers == 1);
}

TEST_CASE_FIXTURE(world, "a paused pool keeps its number of workers") {
  options.busy_until = libpool::busy_until::answer;
  make(one_to_eight, 4);
  actor_pool::pause(pool);
  send(9);
  pass_intervals(9);
  CHECK(stats().workers == 4);
  CHECK(stats().wanted_why == "the pool is paused");
  actor_pool::resume(pool);
  run();
  while (delivered < promises.size())
    end_all();
  pass_intervals(9);
  CHECK(stats().workers == 1);
}

TEST_CASE_FIXTURE(world, "a pool drains with the workers that it needs") {
  options.busy_until = libpool::busy_until::answer;
  make({0, 8, 20ms, 1s, 1s}, 0);
  send(3);
  auto drained = drain();
  run();
  while (delivered < promises.size())
    end_all();
  run();
  CHECK(is_answered(drained));
  CHECK(count(libpool::outcome::completed) == 3);
}

TEST_CASE_FIXTURE(world, "a user can choose a number within the bounds, from "
                         "which the pool goes on") {
  options.busy_until = libpool::busy_until::answer;
  make(one_to_eight, 1);
  auto refused = resize(9);
  CHECK(says(client.answer_to(refused),
             "resize: workers must be from 1 to 8, the bounds of autoscale, "
             "got 9"));
  resize(6);
  CHECK(stats().workers == 6);
  pass_intervals(20);
  CHECK(stats().workers == 1);
}

TEST_CASE_FIXTURE(world, "tasks that a limit holds back make no workers") {
  options.busy_until = libpool::busy_until::answer;
  options.throttles.of_each_flow.most_running = 1;
  make(one_to_eight, 2);
  send(9);
  pass_intervals(3);
  CHECK(stats().workers == 2);
  pass_intervals(9); // one is enough
  CHECK(stats().workers == 1);
  while (delivered < promises.size())
    end_all();
}

TEST_CASE_FIXTURE(world, "crashed workers are made again in the next interval, "
                         "or for the next message") {
  options.autoscale = autoscale{1, 4, 20ms, 9s, 1s};
  options.when_empty = libpool::when_empty::end;
  populate(
    1, [](scripted&) -> caf::behavior { return {[](int) { test::crash(); }}; });
  caf::anon_send(pool, 1);
  run();
  CHECK(stats().workers == 0);
  caf::anon_send(pool, 1);
  run();
  CHECK(stats().departed.crashed == 2);
  caf::anon_send(pool, 1); // only one first worker in an interval
  run();
  CHECK(stats().departed.crashed == 2);
  advance(1s);
  CHECK(stats().departed.crashed == 3);
  advance(1s);
  CHECK(stats().workers == 1);
}

TEST_CASE_FIXTURE(world, "a factory that fails ends a pool without workers, "
                         "and its messages say why") {
  options.autoscale = autoscale{0, 4, 20ms, 1s, 1s};
  options.when_empty = libpool::when_empty::refuse;
  populate_by(0, []() -> caf::actor { throw std::runtime_error{"no room"}; });
  auto number = request(1);
  CHECK(says(client.answer_to(number), "no room"));
}

TEST_CASE_FIXTURE(world, "a factory that fails once is called again after an "
                         "interval") {
  options.busy_until = libpool::busy_until::answer;
  options.autoscale = autoscale{0, 4, 20ms, 1s, 1s};
  options.when_empty = libpool::when_empty::refuse;
  auto fails = true;
  populate_by(0, [&]() -> caf::actor {
    if (fails)
      throw std::runtime_error{"no room"};
    return system().spawn<scripted>(promising());
  });
  auto outer = actor_pool::make(system(), actor_pool::shared_queue());
  client.ask(outer, caf::sys_atom{}, caf::put_atom{}, pool);
  CHECK(says(client.answer_to(request(1)), "no room"));
  fails = false;
  CHECK(says(client.answer_to(request(2)), "no room"));
  auto waiting = client.request(outer, 3);
  run();
  pass_intervals(2);
  CHECK(stats().workers == 1); // for the message of the outer pool
  end_all();
  CHECK(is_answered(waiting));
  stop(outer);
}

TEST_CASE_FIXTURE(world, "an autoscaled pool without workers is a worker of "
                         "another pool") {
  options.busy_until = libpool::busy_until::answer;
  make({0, 4, 20ms, 1s, 1s}, 0);
  auto outer = actor_pool::make(system(), actor_pool::shared_queue());
  client.ask(outer, caf::sys_atom{}, caf::put_atom{}, pool);
  for (auto i = 0; i < 5; ++i)
    client.request(outer, i);
  run();
  CHECK(stats().workers == 1);
  for (auto i = 0; i < 9; ++i) {
    end_all();
    advance(1s);
  }
  CHECK(books().completed == 5);
  stop(outer);
}

TEST_CASE_FIXTURE(world, "a pool whose messages ask several workers gets "
                         "messages of another pool once it has made a worker") {
  options.autoscale = autoscale{1, 4, 20ms, 1s, 1s};
  pool = actor_pool::make(
    system(), 1, [this] { return system().spawn<scripted>(doubling()); },
    actor_pool::first_success(1, actor_pool::shared_queue(options)));
  auto outer = actor_pool::make(system(), actor_pool::shared_queue());
  client.ask(outer, caf::sys_atom{}, caf::put_atom{}, pool);
  exit(workers().front());
  run();
  auto number = client.request(outer, 1);
  run();
  CHECK(!is_answered(number));
  advance(1s);
  CHECK(result_of(number) == 2);
  stop(outer);
}

TEST_CASE_FIXTURE(world, "messages fail once a pool has as many workers as it "
                         "may have, and all of them are pools without "
                         "workers") {
  options.autoscale = autoscale{1, 2, 20ms, 3s, 1s};
  populate_by(1, [this] {
    return actor_pool::make(system(), actor_pool::shared_queue());
  });
  auto number = request(1);
  CHECK(!is_answered(number));
  advance(1s);
  CHECK(stats().workers == 2);
  CHECK(error_of(number) == errc::no_workers);
}

TEST_CASE_FIXTURE(world, "a pool without a factory says how many workers it "
                         "wants") {
  options.busy_until = libpool::busy_until::answer;
  options.autoscale = one_to_eight;
  make_empty();
  put(system().spawn<scripted>(promising()));
  send(20);
  pass_intervals(3);
  CHECK(stats().workers == 1);
  CHECK(stats().wanted == 4);
  while (delivered < promises.size())
    end_all();
}

TEST_CASE_FIXTURE(world, "bounds that contradict each other are refused") {
  options.autoscale = autoscale{3, 2};
  CHECK_THROWS_WITH_AS(actor_pool::shared_queue(options),
                       "libpool: managed_options: autoscale: least must be at "
                       "most most (2), got 3",
                       std::invalid_argument);
  options.autoscale = autoscale{0, 2};
  CHECK_THROWS_AS(actor_pool::quorum(2, 2, actor_pool::shared_queue(options)),
                  std::invalid_argument);
  options.measure_times = false;
  CHECK_THROWS_AS(actor_pool::shared_queue(options), std::invalid_argument);
  options.measure_times = true;
  options.most_workers = 1;
  CHECK_THROWS_AS(actor_pool::shared_queue(options), std::invalid_argument);
}

} // namespace managed_autoscaling_tests
