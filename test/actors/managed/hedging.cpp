/// When a pool that hedges asks one more worker.

#include "support/crew_world.hpp"

#include <chrono>

namespace managed_hedging_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using test::numbers;
using world = test::crew_world;
using does = world::does;

namespace {

/// The first worker is a pool that gives back the oldest message that waits
/// there when another one comes. The worker of that pool is busy.
struct nested_world : world {
  caf::actor inner;

  nested_world() {
    options.window = 2;
    make(actor_pool::hedged(10ms, 100, queue()));
    libpool::managed_options inner_options;
    inner_options.workers = 1;
    inner_options.busy_until = libpool::busy_until::answer;
    inner_options.capacity = 1;
    inner_options.on_overflow = libpool::overflow::drop_oldest;
    inner = libpool::spawn_pool(system(), inner_options, [this] {
      return system().spawn<test::scripted>(promising());
    });
    client.request(inner, 0);
    put_by_request(inner);
    run();
    add(does::promise);
    run();
  }

  ~nested_world() {
    finish();
    exit(std::exchange(inner, nullptr));
    run();
  }
};

} // namespace

TEST_CASE_FIXTURE(
  world, "a delay by percentile hedges nothing before a hundred times are "
         "measured, without the times of second workers") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(libpool::percentile{90}, 100, queue()),
       {does::promise});
  for (std::size_t i = 0; i < 99; ++i) {
    request(1);
    advance(1ms);
    keep(i, 5);
  }
  add(does::promise);
  run();
  request(1); // of the new one, which was never chosen
  REQUIRE(begun.back().first == 1);
  advance(10ms);
  CHECK(stats().hedged == 0);
  keep(99, 5);
  for (auto round = 1U; round <= 40; ++round) {
    CAPTURE(round);
    request(1);
    for (auto time = 0; stats().hedged < round && time < 40; ++time)
      advance(1ms);
    REQUIRE(stats().hedged == round);
    keep(promises.size() - 2, 5);
    advance(1s);
    keep(promises.size() - 1, 5);
  }
}

TEST_CASE_FIXTURE(world, "a message is hedged at most once, even if its first "
                         "worker terminates and the message is retried") {
  options.busy_until = libpool::busy_until::answer;
  options.on_crash = libpool::retry{3};
  make(actor_pool::hedged(10ms, 100, queue()),
       std::vector<does>(5, does::promise));
  request(0); // for the budget
  keep(0, 5);
  auto number = request(1);
  advance(10ms);
  CHECK(workers_in_order() == numbers{0, 1, 2});
  kill(by_worker[1]);
  run();
  CHECK(begun.size() == 4);
  advance(10ms);
  CHECK(stats().hedged == 1);
  keep(3, 5);
  CHECK(result_of(number) == 5);
}

TEST_CASE_FIXTURE(
  world, "a message that came back and waits for a worker is not hedged") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::promise});
  request(1);
  auto number = client.request(pool, 2);
  kill(by_worker[1]); // before it begins
  run();
  advance(10ms);
  CHECK(stats().hedged == 0);
  keep(0, 5);
  CHECK(begun == std::vector<std::pair<int, int>>{{0, 1}, {0, 2}});
  SUBCASE("the delay begins when the next worker has it") {
    add(does::answer);
    run();
    advance(9ms);
    CHECK(stats().hedged == 0);
    advance(1ms);
    CHECK(stats().hedged == 1);
    CHECK(result_of(number) == 202);
  }
  keep(1, 6);
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(world, "a hedged message that is retried after a crash does "
                         "not go to its second worker again") {
  options.window = 2;
  options.on_crash = libpool::retry{3};
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::promise});
  auto number = request(1);
  advance(10ms);
  kill(by_worker[0]);
  run();
  CHECK(workers_in_order() == numbers{0, 1});
  keep(1, 5);
  CHECK(result_of(number) == 5);
}

TEST_CASE_FIXTURE(nested_world,
                  "a hedged message that a worker gives back "
                  "waits for that worker if all have been asked") {
  auto number = request(1);
  advance(10ms);
  REQUIRE(stats().hedged == 1);
  client.request(inner, 2);
  run();
  CHECK(workers_in_order() == numbers{0});
  keep(1, caf::make_error(caf::sec::invalid_argument));
  CHECK_FALSE(is_answered(number));
  deliver(0, 5);
  deliver(2, 6);
  deliver(3, 7);
  CHECK(workers_in_order() == numbers{0});
  CHECK(result_of(number) == 7);
}

TEST_CASE_FIXTURE(nested_world, "an inner pool that was too full for a message "
                                "may get the message later as a hedge") {
  auto number = request(1);
  client.request(inner, 2);
  run();
  REQUIRE(workers_in_order() == numbers{0});
  deliver(0, 5);
  deliver(2, 6);
  advance(10ms);
  CHECK(stats().hedged == 1);
  deliver(3, 7);
  CHECK(result_of(number) == 7);
  keep(1, 8);
}

TEST_CASE_FIXTURE(world, "a hedged message waits for a new worker if both its "
                         "workers terminate before handling it") {
  options.when_empty = libpool::when_empty::wait;
  make(actor_pool::hedged(10ms, 100, queue()), {does::skip, does::skip});
  auto number = request(1);
  advance(10ms);
  CHECK(stats().hedged == 1);
  auto first = 0U;
  SUBCASE("the first worker ends first") {}
  SUBCASE("the second worker ends first") {
    first = 1;
  }
  SUBCASE("the second worker is about to leave") {
    client.request(pool, caf::sys_atom{}, caf::delete_atom{}, by_worker[1]);
    run();
  }
  kill(by_worker[first]);
  run();
  kill(by_worker[1 - first]);
  run();
  CHECK(books().waiting == 1);
  add(does::answer);
  run();
  CHECK(workers_in_order() == numbers{2});
  CHECK(result_of(number) == 201);
}

} // namespace managed_hedging_tests
