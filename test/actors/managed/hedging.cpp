/// When a pool that hedges asks one more worker.

#include "support/gather_world.hpp"

#include <chrono>
#include <cstddef>

namespace managed_hedging_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using test::numbers;
using world = test::gather_world;
using does = world::does;

namespace {

/// The one worker, which has promised nothing yet, handles so many messages.
void take_a_millisecond(world& w, std::size_t messages) {
  for (std::size_t i = 0; i < messages; ++i) {
    w.client.request(w.pool, 1);
    w.run();
    w.advance(1ms);
    w.keep(i, 5);
  }
}

} // namespace

TEST_CASE_FIXTURE(
  world,
  "a delay by percentile hedges nothing before a hundred times are measured") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(libpool::percentile{50}, 100, queue()),
       {does::promise});
  take_a_millisecond(*this, 99);
  add(does::promise);
  run();
  client.request(pool, 1); // of the new one, which was never chosen
  run();
  REQUIRE(begun.back().first == 1);
  advance(10ms);
  CHECK(stats().hedged == 0);
  keep(99, 5);
  client.request(pool, 1);
  run();
  advance(10ms);
  CHECK(stats().hedged == 1);
}

TEST_CASE_FIXTURE(
  world, "the times of second workers do not count for the percentile") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(libpool::percentile{90}, 100, queue()),
       {does::promise});
  take_a_millisecond(*this, 100);
  add(does::promise);
  run();
  for (auto round = 1U; round <= 40; ++round) {
    CAPTURE(round);
    client.request(pool, 1);
    run();
    for (auto time = 0; stats().hedged < round && time < 40; ++time)
      advance(1ms);
    REQUIRE(stats().hedged == round);
    keep(promises.size() - 2, 5);
    advance(1s);
    keep(promises.size() - 1, 5);
  }
}

TEST_CASE_FIXTURE(world, "a message is hedged once even if its first worker "
                         "terminates and it is retried") {
  options.busy_until = libpool::busy_until::answer;
  options.on_crash = libpool::retry{3};
  make(actor_pool::hedged(10ms, 100, queue()),
       {does::promise, does::promise, does::promise, does::promise,
        does::promise});
  client.request(pool, 0); // for the budget
  run();
  keep(0, 5);
  auto number = client.request(pool, 1);
  run();
  advance(10ms);
  CHECK(workers_in_order() == numbers{0, 1, 2});
  kill(by_worker[1]);
  run();
  CHECK(begun.size() == 4);
  advance(10ms);
  CHECK(stats().hedged == 1);
  keep(3, 5);
  CHECK(client.answer_to(number).get<int>() == 5);
}

} // namespace managed_hedging_tests
