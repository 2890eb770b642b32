/// Managed pools that grow, shrink, drain, and tell of themselves.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace managed_changing_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using test::managed_world;
using test::scripted;

namespace {

struct world : managed_world {
  using managed_world::managed_world;

  /// Whether the request was answered once, with success.
  bool is_done(std::uint64_t request) const {
    auto answer = client.answer_to(request);
    return answer.count == 1 && answer.is_empty();
  }

  /// A worker that crashes with 0.
  scripted::script fragile() {
    return [this](scripted&) -> caf::behavior {
      return {[this](int x) {
        doubled.push_back(x);
        if (x == 0)
          test::crash();
        return 2 * x;
      }};
    };
  }
};

} // namespace

// -- resize -------------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a pool grows and shrinks on request, and still answers") {
  populate(2, doubling());
  auto before = running();
  CHECK(is_done(resize(5)));
  CHECK(stats().workers == 5);
  CHECK(running() == before + 3);
  auto all = workers();
  CHECK(is_done(resize(1))); // they had nothing to do
  CHECK(stats().workers == 1);
  CHECK(workers().at(0) == all.at(0)); // the newest leave first
  run();
  CHECK(running() == before - 1); // and are stopped
  CHECK(is_done(resize(1)));
  CHECK(client.ask(pool, 3).get<int>() == 6);
}

TEST_CASE_FIXTURE(world,
                  "RESIZE is answered when the workers that leave have ended "
                  "their tasks, or have crashed, and they are not replaced") {
  restart(5);
  options.busy_until = libpool::busy_until::answer;
  populate(3, promising());
  for (auto i = 0; i < 3; ++i)
    client.ask(pool, i);
  auto number = resize(1);
  run();
  CHECK(stats().workers == 1);
  CHECK(stats().members.size() == 3);
  CHECK_FALSE(is_answered(number));
  deliver(1, 1);
  CHECK_FALSE(is_answered(number));
  SUBCASE("ended its task") {
    deliver(2, 1);
    CHECK(stats().total.completed == 2); // workers that are gone included
  }
  SUBCASE("crashed") {
    kill(caf::actor{holders.at(2)});
    advance(1ms);
    CHECK(stats().restarts == 0);
  }
  CHECK(is_done(number));
  CHECK(stats().members.size() == 1);
}

TEST_CASE_FIXTURE(
  world,
  "resize and drain refuse sizes below 1, pools without a factory and actors "
  "that are not pools") {
  populate(1, doubling());
  CHECK(error_of(resize(0)) == caf::sec::invalid_argument);
  CHECK(error_of(resize(-3)) == caf::sec::invalid_argument);
  CHECK(stats().workers == 1);
  for (const auto& each : {client.handle(), caf::actor{}}) {
    CHECK_THROWS_AS(actor_pool::resize(each, 1), std::invalid_argument);
    CHECK_THROWS_AS(actor_pool::drain(each), std::invalid_argument);
  }
  CHECK_THROWS_AS(actor_pool::resize(pool, 0), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::resize(pool, 65'537), std::invalid_argument);
  actor_pool::resize(pool, 4);
  CHECK(stats().workers == 4);
  options.on_settled = nullptr;
  exit(std::exchange(
         pool, actor_pool::make(system(), actor_pool::shared_queue(options))),
       caf::exit_reason::user_shutdown);
  CHECK(error_of(resize(2)) == caf::sec::invalid_argument);
  CHECK_THROWS_AS(actor_pool::resize(pool, 2), std::invalid_argument);
  exit(pool, caf::exit_reason::user_shutdown);
  actor_pool::resize(pool, 2); // ignored, like other commands to ended pools
}

TEST_CASE("a pool that is resized while it works loses no tasks, and answers "
          "each RESIZE") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1 + seed % 3;
    w.populate(2, w.doubling());
    std::vector<std::uint64_t> resizes;
    for (auto i = 0; i < 40; ++i) {
      w.client.send(w.pool, i);
      if (i % 5 == 0)
        resizes.push_back(w.resize(1 + (i + static_cast<int>(seed)) % 4));
      w.step();
    }
    w.run();
    CHECK(w.doubled.size() == 40);
    CHECK(w.books().completed == 40);
    for (auto number : resizes)
      CHECK(w.is_done(number));
    CHECK(w.stats().workers == w.workers().size());
    CHECK(w.stats().members.size() == w.stats().workers);
  }
}

TEST_CASE_FIXTURE(world,
                  "a pool that shrinks drops pending replacements first") {
  restart(5, 10ms);
  populate(2, fragile());
  client.ask(pool, 0);
  CHECK(stats().workers == 1);
  CHECK(is_done(resize(1)));
  advance(1s);
  CHECK(stats().workers == 1);
  CHECK(stats().restarts == 0);
}

// -- drain --------------------------------------------------------------------

TEST_CASE_FIXTURE(
  world, "a draining pool completes its tasks, refuses new ones, then ends") {
  populate(2, doubling());
  for (auto i = 0; i < 10; ++i)
    client.send(pool, i);
  auto number = drain();
  auto again = drain();
  CHECK(client.ask(pool, 11).error() == errc::pool_closed);
  CHECK(doubled.size() == 10);
  CHECK(is_done(number));
  CHECK(is_done(again));
  CHECK(client.ask(pool, 11).error() == caf::sec::request_receiver_down);
  CHECK(error_of(drain()) == caf::sec::request_receiver_down);
  CHECK(stats().workers == 0);
}

TEST_CASE_FIXTURE(world, "DRAIN is answered after the last task is settled, or "
                         "with pool_closed if the pool is killed before") {
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  auto task = client.request(pool, 1);
  run();
  auto number = drain();
  run();
  CHECK_FALSE(is_answered(number));
  CHECK(error_of(resize(3)) == errc::pool_closed);
  SUBCASE("the last task") {
    deliver(0, 5);
    CHECK(client.answer_to(task).get<int>() == 5);
    CHECK(is_done(number));
  }
  SUBCASE("killed") {
    kill(pool);
    run();
    CHECK(error_of(number) == errc::pool_closed);
    CHECK(error_of(task));
  }
  CHECK(client.answer_to(task).count == 1);
}

TEST_CASE_FIXTURE(world, "a pool without tasks drains at once") {
  SUBCASE("with idle workers") {
    populate(2, doubling());
  }
  SUBCASE("without workers") {
    options.when_empty = libpool::when_empty::wait;
    make_empty();
  }
  auto ended = std::make_shared<caf::error>();
  pool->attach_functor([ended](const caf::error& why) { *ended = why; });
  actor_pool::drain(pool);
  CHECK(*ended == caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(world, "when workers crash while the pool drains, its "
                         "waiting tasks fail unless workers are replaced") {
  options.when_empty = libpool::when_empty::wait;
  auto is_replaced = false;
  SUBCASE("not replaced") {}
  SUBCASE("replaced") {
    is_replaced = true;
    restart(5, 10ms);
  }
  populate(1, fragile());
  auto first = client.request(pool, 0);
  auto second = client.request(pool, 1);
  auto number = drain();
  run();
  CHECK(test::failed_by_crash(client.answer_to(first)));
  CHECK(is_answered(number) == !is_replaced);
  advance(10ms);
  CHECK(is_done(number));
  CHECK(client.answer_to(second).count == 1);
  if (is_replaced)
    CHECK(client.answer_to(second).get<int>() == 2);
  else
    CHECK(error_of(second) == errc::no_workers);
}

// -- stats and callbacks ------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "the stats of a pool report the tasks of the pool and of its workers") {
  populate(2, doubling());
  for (auto i = 0; i < 6; ++i) {
    client.send(pool, i);
    run();
  }
  auto told = client.ask(pool, caf::sys_atom{}, libpool::stats_atom{})
                .get<libpool::pool_stats>();
  CHECK(told.workers == 2);
  CHECK(told.tasks.accepted == 6);
  CHECK(told.total.completed == 6);
  CHECK(told.total.waits.count() == 6);
  REQUIRE(told.members.size() == 2);
  for (auto& each : told.members)
    CHECK(each.completed == 3);
  CHECK(told.members[0].worker != told.members[1].worker);
  CHECK(caf::deep_to_string(stats().total) == caf::deep_to_string(told.total));
}

TEST_CASE_FIXTURE(
  world, "the times of tasks are read from the clock of the actor system") {
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  client.ask(pool, 1);
  client.ask(pool, 2);
  advance(5ms);
  deliver(0, 1);
  advance(7ms);
  deliver(1, 1);
  REQUIRE(fates.size() == 2);
  CHECK(fates[0].started - fates[0].accepted == 0ms);
  CHECK(fates[0].settled - fates[0].started == 5ms);
  CHECK(fates[1].started - fates[1].accepted == 5ms);
  CHECK(fates[1].settled - fates[1].started == 7ms);
  CHECK(stats().total.busy == 12ms);
  CHECK(stats().total.max_service == 7ms);
  CHECK(stats().total.mean_service == 6ms);
}

TEST_CASE_FIXTURE(
  world,
  "the reported times of tasks are zero if the option measure_times is false") {
  options.measure_times = false;
  populate(1, doubling());
  client.ask(pool, 1);
  REQUIRE(fates.size() == 1);
  CHECK(fates[0].accepted == libpool::instant{});
  CHECK(fates[0].settled == libpool::instant{});
  CHECK(stats().total.busy == 0ms);
}

TEST_CASE_FIXTURE(world,
                  "on_settled may request stats of the pool, send to it and "
                  "throw") {
  auto sent = 0;
  on_settled = [&](const libpool::settled_task& settled) {
    auto now = stats(); // must not wait for itself
    CHECK(now.tasks.balances());
    CHECK(settled.number == 1U + static_cast<unsigned>(sent));
    if (++sent < 5)
      client.send(pool, sent);
    test::crash();
  };
  populate(1, doubling());
  client.send(pool, 0);
  run();
  CHECK(doubled == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(stats().workers == 1);
  on_settled = nullptr;
}

TEST_CASE_FIXTURE(
  world, "spawn_pool makes workers of a class from copies of the arguments, "
         "and a pool with the name given in its options") {
  auto by_count = libpool::spawn_pool<test::doubler>(system(), std::size_t{3});
  CHECK(actor_pool::stats(by_count).workers == 3);
  CHECK(client.ask(by_count, 4).get<int>() == 8);
  options.workers = 2;
  options.on_settled = nullptr;
  options.name = "bakery";
  auto script = doubling();
  auto with_arguments = libpool::spawn_pool<scripted>(system(), options,
                                                      script);
  CHECK(actor_pool::stats(with_arguments).workers == 2);
  CHECK(client.ask(with_arguments, 5).get<int>() == 10);
  CHECK(libpool::short_name_of(
          *caf::actor_cast<caf::abstract_actor*>(with_arguments))
        == "bakery");
  options.workers = 0; // one per thread of the scheduler
  auto by_default = libpool::spawn_pool<test::doubler>(system(), options);
  CHECK(actor_pool::stats(by_default).workers >= 1);
}

} // namespace managed_changing_tests
