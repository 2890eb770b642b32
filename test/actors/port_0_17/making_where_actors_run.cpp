#include "support/direct_world.hpp"

namespace making_where_actors_run_tests {

using libpool::actor_pool;

TEST_CASE_FIXTURE(
  test::direct_world,
  "a pool can be made from an execution unit, as pools of CAF can") {
  test::host runs_here{system()};
  libpool::execution_context* host = runs_here;
  auto refused = 0;
  libpool::pool_options options;
  options.on_refused = [&](libpool::refusal&) { ++refused; };
  auto rr = actor_pool::round_robin();
  auto no_actor = [] { return caf::actor{}; };
  for (auto& made : {actor_pool::make(host, rr, options),
                     actor_pool::make(host, 0, no_actor, rr, options)}) {
    client.send(made, 1);
    CHECK(std::exchange(refused, 0) == 1);
  }
  std::function<caf::actor()> no_factory;
  using wrong = std::invalid_argument;
  CHECK_THROWS_AS(actor_pool::make(host, 1, no_factory, rr), wrong);
  libpool::execution_context* nowhere = nullptr;
  CHECK_THROWS_AS(actor_pool::make(nowhere, rr), wrong);
  CHECK_THROWS_AS(actor_pool::make(nowhere, 1, no_actor, rr), wrong);
}

} // namespace making_where_actors_run_tests
