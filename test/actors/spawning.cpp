/// Pools whose workers an actor system makes of functions, classes and
/// factories, also of typed workers.

#include "support/direct_world.hpp"
#include "support/managed_world.hpp"

namespace spawning_tests {

using libpool::actor_pool;
using libpool::managed_options;
using libpool::spawn_pool;
using libpool::spawn_typed_pool;
using test::complaint;
using test::doubler;
using typed_worker = caf::typed_actor<test::signature<int, int>>;

namespace {

caf::behavior multiplier(caf::event_based_actor*, int factor) {
  return {[factor](int x) { return factor * x; }};
}

typed_worker::behavior_type typed_doubler(typed_worker::pointer) {
  return {[](int x) { return 2 * x; }};
}

managed_options with(void (*set)(managed_options&)) {
  managed_options result;
  set(result);
  return result;
}

struct world : test::direct_world {
  int refused = 0;
  libpool::pool_options others;

  world() {
    others.on_refused = [this](libpool::refusal&) { ++refused; };
  }

  auto typed_factory() {
    return [this] { return system().spawn(typed_doubler); };
  }

  /// Asks a pool with so many workers, and ends it.
  void check(const caf::actor& pool, std::size_t workers, int factor) {
    CHECK(client.ask(pool, 4).get<int>() == factor * 4);
    CHECK(actor_pool::stats(pool).workers == workers);
    stop(pool);
  }

  void check(const typed_worker& pool, std::size_t workers, int factor) {
    check(caf::actor_cast<caf::actor>(pool), workers, factor);
  }

  /// What is wrong with the arguments after the number of workers.
  template <class... Ts>
  std::string complaint_about(const Ts&... xs) {
    return complaint([&] { spawn_pool<doubler>(system(), 1, xs...); });
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a pool can have workers made of a function or a "
                         "function object and its arguments") {
  auto add = [](caf::event_based_actor*, int y) -> caf::behavior {
    return {[y](int x) { return x * y; }};
  };
  check(spawn_pool(system(), 3, multiplier, 5), 3, 5);
  check(spawn_pool(system(), with([](auto& x) { x.workers = 2; }), add, 3), 2,
        3);
}

TEST_CASE_FIXTURE(
  world, "a crashed worker made of a function is replaced by another one") {
  auto crashes = [](caf::event_based_actor* self, int factor) -> caf::behavior {
    return {[=](int x) {
      if (x < 0)
        self->quit(caf::exit_reason::kill);
      return factor * x;
    }};
  };
  auto pool = spawn_pool(system(), with([](auto& x) {
                           x.workers = 1;
                           x.restart.max = 1;
                           x.restart.pause = libpool::duration{0};
                         }),
                         crashes, 2);
  client.ask(pool, -1);
  CHECK(client.ask(pool, 4).get<int>() == 8);
  CHECK(actor_pool::stats(pool).restarts == 1);
  stop(pool);
}

TEST_CASE_FIXTURE(
  world, "workers, options and policy of a pool can be given in any order") {
  auto options = with([](auto& x) {
    x.workers = 7;
    x.capacity = 0;
    x.window = 1;
  });
  auto how = actor_pool::least_used();
  for (const auto& pool :
       {spawn_pool<doubler>(system(), 3, options),
        spawn_pool<doubler>(system(), 3, options, how),
        spawn_pool<doubler>(system(), 3, how, options, others),
        spawn_pool(system(), 3, how, options, multiplier, 2)}) {
    for (auto x = 0; x < 5; ++x)
      client.send(pool, x);
    CHECK(actor_pool::stats(pool).tasks.refused == 2);
    run();
    check(pool, 3, 2);
  }
  CHECK(refused == 2); // by the one with pool_options
}

TEST_CASE_FIXTURE(
  world,
  "a pool of a worker class takes a policy after the number of workers") {
  auto pool = spawn_pool<doubler>(system(), 3, actor_pool::least_used());
  CHECK(actor_pool::stats(pool).policy == "least_used");
  check(pool, 3, 2);
  check(spawn_pool<doubler>(system(), 3, actor_pool::round_robin()), 3, 2);
}

TEST_CASE_FIXTURE(
  world,
  "options given after a policy are checked like options of the policy") {
  CHECK(complaint_about(actor_pool::fair_queuing(),
                        with([](auto& x) { x.window = 2; }))
        == "libpool: window: fair_queuing does not use this option; set "
           "seats_per_worker instead");
  auto somewhere = with([](auto& x) {
    x.may_run_on = [](const libpool::message_content&) {
      return std::optional<libpool::worker_choice>{};
    };
  });
  CHECK(complaint_about(actor_pool::quorum(2, 1), somewhere)
        == "libpool: quorum: may_run_on has no effect, since this policy "
           "chooses the workers itself");
  libpool::node_options nodes;
  nodes.wants_of = [](const libpool::message_content&) {
    return libpool::node_wants{};
  };
  CHECK(complaint([&] {
          spawn_pool<doubler>(system(), 1, actor_pool::distributed(nodes),
                              somewhere);
        })
        != "");
}

TEST_CASE_FIXTURE(
  world, "options after a policy are refused if it has options or takes none") {
  managed_options none;
  CHECK(complaint_about(actor_pool::round_robin(), none)
        == "libpool: spawn_pool: managed_options require a policy of managed "
           "pools, and this policy is for direct pools: pass pool_options "
           "instead, or no options");
  // Each option counts.
  for (const auto& options :
       {with([](auto& x) { x.capacity = 1; }),
        with([](auto& x) { x.on_crash = libpool::retry{1}; }),
        with([](auto& x) { x.restart.max = 1; }),
        with([](auto& x) { x.leases = false; }),
        with([](auto& x) { x.name = "mine"; }), with([](auto& x) {
          x.on_settled = [](const libpool::settled_task&) {};
        })})
    CHECK(complaint_about(actor_pool::least_used(options), none)
          == "libpool: spawn_pool: the policy has managed_options already: "
             "pass them once, to the policy or to spawn_pool");
}

// -- typed workers ------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a typed pool accepts any policy") {
  for (const auto& how :
       {actor_pool::least_busy(), actor_pool::work_stealing(),
        actor_pool::first_success(2), actor_pool::round_robin(),
        actor_pool::policy{caf::actor_pool::round_robin()}}) {
    auto pool = spawn_typed_pool<typed_worker>(system(), 3, typed_factory(),
                                               how);
    auto untyped = caf::actor_cast<caf::actor>(pool);
    CHECK(client.ask(untyped, 4).get<int>() == 8);
    CHECK(actor_pool::stats(pool).tasks.completed == (how.managed() ? 1U : 0U));
    check(pool, 3, 2);
  }
}

TEST_CASE_FIXTURE(world,
                  "a typed pool accepts the same options as an untyped pool") {
  auto pool = spawn_typed_pool<typed_worker>(system(), 1, typed_factory(),
                                             actor_pool::round_robin(), others);
  auto untyped = caf::actor_cast<caf::actor>(pool);
  client.remove_all(untyped);
  client.send(untyped, 1);
  CHECK(refused == 1);
  stop(untyped);
}

TEST_CASE_FIXTURE(
  world, "a typed pool can be resized and drained through its handle") {
  auto pool = spawn_typed_pool<typed_worker>(system(), 2, typed_factory());
  for (std::size_t size : {5U, 1U}) {
    actor_pool::resize(pool, size);
    run();
    CHECK(actor_pool::stats(pool).workers == size);
  }
  actor_pool::drain(pool);
  run();
  CHECK(client.ask(caf::actor_cast<caf::actor>(pool), 1).error()
        == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(world, "a factory of typed workers can make untyped pools") {
  check(spawn_pool(system(), 2, typed_factory()), 2, 2);
  check(spawn_pool(system(), managed_options{}, typed_factory()), 2, 2);
  check(actor_pool::make(system(), 2, typed_factory(), actor_pool::random(1)),
        2, 2);
}

} // namespace spawning_tests
