/// Pools whose workers an actor system makes of states.

#include "support/direct_world.hpp"

#include <caf/actor_from_state.hpp>

namespace states_tests {

using libpool::actor_pool;
using world = test::direct_world;

namespace {

struct counter {
  explicit counter(int first) : next(first) {
    // nop
  }

  caf::behavior make_behavior() {
    return {[this](int step) { return next += step; }};
  }

  int next;
};

/// The signatures of a typed actor, by a trait.
struct doubler_trait {
  using signatures = caf::type_list<caf::result<int>(int)>;
};

using doubler = caf::typed_actor<doubler_trait>;

struct doubler_state {
  doubler::behavior_type make_behavior() {
    return {[](int x) { return 2 * x; }};
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a pool can have workers made from a state class") {
  auto pool = libpool::spawn_pool(system(), 1, caf::actor_from_state<counter>,
                                  40);
  CHECK(client.ask(pool, 2).get<int>() == 42);
  CHECK(client.ask(pool, 1).get<int>() == 43);
  CHECK(actor_pool::stats(pool).tasks.completed == 2);
  stop(pool);
}

TEST_CASE_FIXTURE(
  world, "a pool can have typed workers whose signatures come from a trait") {
  auto factory = [this] {
    return system().spawn(caf::actor_from_state<doubler_state>);
  };
  auto pool = libpool::spawn_typed_pool<doubler>(system(), 2, factory);
  auto untyped = caf::actor_cast<caf::actor>(pool);
  CHECK(client.ask(untyped, 4).get<int>() == 8);
  stop(untyped);
}

TEST_CASE(
  "a stage of typed workers accepts the types in the trait of their handle") {
  using types = libpool::detail::only_signature<doubler>;
  CHECK(std::is_same_v<types::in, int>);
  CHECK(std::is_same_v<types::out, int>);
}

} // namespace states_tests
