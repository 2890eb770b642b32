/// Pools whose workers an actor system makes of functions.

#include "support/hand_cranked.hpp"
#include "support/probe.hpp"
#include "support/strategy_world.hpp"

#include "libpool/pool.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

namespace spawning_tests {

using libpool::actor_pool;
using libpool::spawn_pool;
using test::complaint;
using test::doubler;

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

TEST_CASE_FIXTURE(
  world, "a pool can have workers made of a function and its arguments") {
  auto pool = spawn_pool(system(), 3, multiplier, 5);
  CHECK(ask(pool, 4) == 20);
  CHECK(actor_pool::stats(pool).workers == 3);
  stop(pool);
}

TEST_CASE_FIXTURE(world, "a pool can have workers made of a function object") {
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

TEST_CASE_FIXTURE(
  world, "a crashed worker made of a function is replaced by another one") {
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

TEST_CASE_FIXTURE(
  world, "workers, options and policy of a pool can be given in any order") {
  libpool::managed_options options;
  options.workers = 7;
  options.capacity = 0;
  options.window = 1;
  auto how = actor_pool::least_used();
  for (const auto& pool :
       {spawn_pool<doubler>(system(), 3, options),
        spawn_pool<doubler>(system(), 3, options, how),
        spawn_pool<doubler>(system(), 3, how, options),
        spawn_pool(system(), 3, how, options, multiplier, 2)}) {
    CHECK(actor_pool::stats(pool).workers == 3);
    for (auto x = 0; x < 5; ++x)
      caf::anon_send(pool, x);
    CHECK(actor_pool::stats(pool).tasks.refused == 2);
    stop(pool);
  }
}

TEST_CASE_FIXTURE(
  world,
  "a pool of a worker class takes a policy after the number of workers") {
  auto pool = spawn_pool<doubler>(system(), 3, actor_pool::least_used());
  CHECK(actor_pool::stats(pool).policy == "least_used");
  CHECK(ask(pool, 4) == 8);
  stop(pool);
  auto direct = spawn_pool<doubler>(system(), 3, actor_pool::round_robin());
  CHECK(ask(direct, 4) == 8);
  stop(direct);
}

TEST_CASE_FIXTURE(
  world, "a pool calls on_refused if pool_options are given after its policy") {
  auto refused = 0;
  libpool::pool_options others;
  others.on_refused = [&](libpool::refusal&) { ++refused; };
  libpool::managed_options options;
  options.capacity = 0;
  auto pool = spawn_pool<doubler>(system(), 1, options, others);
  caf::anon_send(pool, 1);
  caf::anon_send(pool, 2);
  CHECK(refused == 1);
  stop(pool);
}

TEST_CASE_FIXTURE(
  world,
  "options given after a policy are checked like options of the policy") {
  libpool::managed_options windowed;
  windowed.window = 2;
  auto spawning = [&](const libpool::policy& how) {
    return [&, how] { spawn_pool<doubler>(system(), 1, how, windowed); };
  };
  CHECK(complaint(spawning(actor_pool::fair_queuing()))
        == "libpool: window: fair_queuing does not use this option; set "
           "seats_per_worker instead");
  libpool::managed_options somewhere;
  somewhere.may_run_on = [](const libpool::message_content&) {
    return std::optional<libpool::worker_choice>{};
  };
  CHECK(complaint([&] {
          spawn_pool<doubler>(system(), 1, actor_pool::quorum(2, 1), somewhere);
        })
        == "libpool: quorum: may_run_on has no effect, since this policy "
           "chooses the workers itself");
  CHECK(complaint([&] {
          libpool::node_options nodes;
          nodes.wants_of = [](const libpool::message_content&) {
            return libpool::node_wants{};
          };
          spawn_pool<doubler>(system(), 1, actor_pool::distributed(nodes),
                              somewhere);
        })
        != "");
}

TEST_CASE_FIXTURE(
  world, "options after a policy are refused if it has options or takes none") {
  libpool::managed_options options;
  options.capacity = 1;
  CHECK(complaint([&] {
          spawn_pool<doubler>(system(), 1, actor_pool::least_used(options),
                              options);
        })
        == "libpool: spawn_pool: the policy has managed_options already: pass "
           "them once, to the policy or to spawn_pool");
  CHECK(complaint([&] {
          spawn_pool<doubler>(system(), 1, actor_pool::round_robin(), options);
        })
        == "libpool: spawn_pool: managed_options require a policy of managed "
           "pools, and this policy is for direct pools: pass pool_options "
           "instead, or no options");
}

TEST_CASE_FIXTURE(
  world,
  "each option of a policy causes options after the policy to be refused") {
  using libpool::managed_options;
  auto is_refused = [&](void (*give)(managed_options&)) {
    managed_options given;
    give(given);
    return complaint([&] {
             spawn_pool<doubler>(system(), 1, actor_pool::shared_queue(given),
                                 managed_options{});
           })
           != "";
  };
  CHECK(is_refused([](managed_options& x) { x.on_crash = libpool::retry{1}; }));
  CHECK(is_refused([](managed_options& x) { x.restart.max = 1; }));
  CHECK(is_refused([](managed_options& x) { x.leases = false; }));
  CHECK(is_refused([](managed_options& x) { x.name = "mine"; }));
  CHECK(is_refused([](managed_options& x) {
    x.on_settled = [](const libpool::settled_task&) {};
  }));
}

} // namespace spawning_tests
