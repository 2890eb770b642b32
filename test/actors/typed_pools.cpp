/// Pools of typed workers, whose handles are typed as well.

#include "support/hand_cranked.hpp"
#include "support/probe.hpp"

#include "libpool/pool.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <utility>

namespace typed_pools_tests {

using libpool::actor_pool;
using libpool::spawn_typed_pool;
using test::hand_cranked;
using test::probe;

namespace {

using typed_worker = caf::typed_actor<test::signature<int, int>>;

class typed_doubler : public typed_worker::base {
public:
  explicit typed_doubler(caf::actor_config& cfg) : typed_worker::base(cfg) {
    // nop
  }

  behavior_type make_behavior() override {
    return {[](int x) { return 2 * x; }};
  }
};

struct world : hand_cranked {
  auto factory() {
    return [this] { return system().spawn<typed_doubler>(); };
  }

  int ask(const typed_worker& pool, int x) {
    return client.ask(caf::actor_cast<caf::actor>(pool), x).get<int>();
  }

  void stop(const typed_worker& pool) {
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    run();
  }

  probe client{*this};
};

} // namespace

TEST_CASE_FIXTURE(world, "a typed pool accepts any policy") {
  auto check = [this](const actor_pool::policy& how, bool is_managed) {
    auto pool = spawn_typed_pool<typed_worker>(system(), 3, factory(), how);
    CHECK(ask(pool, 4) == 8);
    CHECK(actor_pool::stats(pool).workers == 3);
    CHECK(actor_pool::stats(pool).tasks.completed == (is_managed ? 1U : 0U));
    stop(pool);
  };
  check(actor_pool::least_busy(), true);
  check(actor_pool::work_stealing(), true);
  check(actor_pool::first_success(2), true);
  check(actor_pool::round_robin(), false);
  check(caf::actor_pool::round_robin(), false);
}

TEST_CASE_FIXTURE(world,
                  "a typed pool accepts the same options as an untyped pool") {
  auto refused = 0;
  libpool::pool_options options;
  options.on_refused = [&](libpool::refusal&) { ++refused; };
  auto pool = spawn_typed_pool<typed_worker>(
    system(), 1, factory(), actor_pool::round_robin(), options);
  client.send(caf::actor_cast<caf::actor>(pool), caf::sys_atom{},
              caf::delete_atom{});
  client.send(caf::actor_cast<caf::actor>(pool), 1);
  CHECK(refused == 1);
  stop(pool);
}

TEST_CASE_FIXTURE(
  world, "a typed pool can be resized and drained through its handle") {
  auto pool = spawn_typed_pool<typed_worker>(system(), 2, factory());
  run();
  actor_pool::resize(pool, 5);
  run();
  CHECK(actor_pool::stats(pool).workers == 5);
  actor_pool::resize(pool, 1);
  run();
  CHECK(actor_pool::stats(pool).workers == 1);
  actor_pool::drain(pool);
  run();
  CHECK(client.ask(caf::actor_cast<caf::actor>(pool), 1).error()
        == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(world, "a factory of typed workers can make untyped pools") {
  for (auto& pool :
       {libpool::spawn_pool(system(), 2, factory()),
        libpool::spawn_pool(system(), libpool::managed_options{}, factory()),
        actor_pool::make(system(), 2, factory(), actor_pool::random(1))}) {
    CHECK(client.ask(pool, 4).get<int>() == 8);
    CHECK(actor_pool::stats(pool).workers == 2);
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    run();
  }
}

} // namespace typed_pools_tests
