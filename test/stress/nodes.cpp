/// A distributed pool with nodes whose agents come and go, in threads.

#include "libpool/actors/distributed.hpp"
#include "libpool/actors/join_pool.hpp"
#include "libpool/pool.hpp"
#include "support/port/config.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stress_nodes_tests {

using libpool::actor_pool;

namespace {

caf::behavior adding(caf::event_based_actor*) {
  return {[](int x) { return x + 1; }};
}

/// So many requests of one client are answered, each once.
void ask_many(caf::actor_system& system, const caf::actor& pool, int n) {
  caf::scoped_actor self{system};
  constexpr auto window = 500;
  auto right = 0;
  for (auto i = 0; i < n; i += window) {
    std::vector<decltype(self->request(pool, caf::infinite, 0))> open;
    for (auto k = i; k < std::min(n, i + window); ++k)
      open.push_back(self->request(pool, caf::infinite, k));
    for (auto k = i; k < std::min(n, i + window); ++k)
      open[static_cast<std::size_t>(k - i)].receive(
        [&](int x) { right += x == k + 1; },
        [&](const caf::error& why) { FAIL(caf::to_string(why)); });
  }
  CHECK(right == n);
}

} // namespace

TEST_CASE("requests are answered exactly once while nodes join and leave") {
  test::config config{2};
  caf::actor_system system{config};
  auto pool = actor_pool::make(system, actor_pool::distributed());
  auto front = libpool::entrance_for_nodes(pool);
  libpool::join_options options;
  options.slots = 4;
  caf::scoped_actor self{system};
  auto stays = libpool::join_pool(system, front, options, adding);
  ask_many(system, pool, 20'000);
  for (auto round = 0; round < 20; ++round) {
    auto leaves = libpool::join_pool(system, front, options, adding);
    ask_many(system, pool, 1'000);
    self->request(leaves, caf::infinite, caf::sys_atom{}, libpool::drain_atom{})
      .receive([] {}, [](const caf::error& why) { FAIL(caf::to_string(why)); });
  }
  auto state = libpool::agent_stats(stays);
  CHECK(state.running == 0);
  CHECK(state.strays == 0);
  self->send_exit(stays, caf::exit_reason::user_shutdown);
  self->send_exit(pool, caf::exit_reason::user_shutdown);
}

} // namespace stress_nodes_tests
