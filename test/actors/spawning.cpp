/// Pools whose workers an actor system makes of functions.

#include "support/hand_cranked.hpp"
#include "support/probe.hpp"

#include "libpool/pool.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

namespace spawning_tests {

using libpool::actor_pool;
using libpool::spawn_pool;

namespace {

caf::behavior multiplier(caf::event_based_actor*, int factor) {
  return {[factor](int x) { return factor * x; }};
}

struct world : test::hand_cranked {
  int ask(const caf::actor& pool, int x) {
    return client.ask(pool, x).get<int>();
  }

  void stop(const caf::actor& pool) {
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    run();
  }

  test::probe client{*this};
};

} // namespace

TEST_CASE_FIXTURE(world, "a pool has workers of a function and its arguments") {
  auto pool = spawn_pool(system(), 3, multiplier, 5);
  CHECK(ask(pool, 4) == 20);
  CHECK(actor_pool::stats(pool).workers == 3);
  stop(pool);
}

TEST_CASE_FIXTURE(world, "a pool has workers of a function object") {
  libpool::managed_options options;
  options.workers = 2;
  auto add = [](caf::event_based_actor*, int y) -> caf::behavior {
    return {[y](int x) { return x + y; }};
  };
  auto pool = spawn_pool(system(), options, add, 3);
  CHECK(ask(pool, 4) == 7);
  CHECK(actor_pool::stats(pool).workers == 2);
  stop(pool);
}

TEST_CASE_FIXTURE(world, "a worker of a function is replaced by another one") {
  auto once = [](caf::event_based_actor* self, int factor) -> caf::behavior {
    self->set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
      return caf::error{caf::sec::runtime_error};
    });
    return {[factor](int x) {
      if (x < 0)
        throw std::invalid_argument{"below 0"};
      return factor * x;
    }};
  };
  libpool::managed_options options;
  options.workers = 1;
  options.restart.max = 1;
  options.restart.pause = libpool::duration{0};
  auto pool = spawn_pool(system(), options, once, 2);
  CHECK(client.ask(pool, -1).error());
  CHECK(ask(pool, 4) == 8);
  CHECK(actor_pool::stats(pool).restarts == 1);
  stop(pool);
}

} // namespace spawning_tests
