#include "libpool/pool.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <utility>

namespace making_where_actors_run_tests {

using libpool::actor_pool;

TEST_CASE_FIXTURE(
  test::hand_cranked,
  "a pool can be made from an execution unit, as pools of CAF can") {
  test::probe client{*this};
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
  CHECK_THROWS_AS(actor_pool::make(host, 1, no_factory, rr),
                  std::invalid_argument);
  libpool::execution_context* nowhere = nullptr;
  CHECK_THROWS_AS(actor_pool::make(nowhere, rr), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::make(nowhere, 1, no_actor, rr),
                  std::invalid_argument);
}

} // namespace making_where_actors_run_tests
