/// Pools with leases in real threads: looks at a flood, and ends in the midst
/// of one.

#include "asking_client.hpp"
#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/soak.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

using libpool::actor_pool;

constexpr std::uint64_t looked_at = test::sanitized() ? 20'000 : 150'000;
constexpr std::uint64_t ends = test::sanitized() ? 12 : 60;

caf::behavior counts_tiny() {
  return {[](std::int64_t x) { return x; }};
}

caf::actor make_pool(caf::actor_system& system) {
  return libpool::spawn_pool(system, 2,
                             [&system] { return system.spawn(counts_tiny); });
}

/// Each counter of the look is at least that of the look before it, and no
/// message was accepted that was not sent.
bool follows(const libpool::pool_stats& now, const libpool::pool_stats& before,
             std::uint64_t sent) {
  auto told = now.since(before);
  return now.tasks.accepted >= before.tasks.accepted
         && now.tasks.completed >= before.tasks.completed
         && now.tasks.accepted <= sent && told.tasks.accepted <= sent
         && told.total.completed <= sent && now.tasks.balances();
}

} // namespace

TEST_CASE(
  "counters never decrease for a thread that polls a pool during a flood") {
  test::config config{2};
  caf::actor_system system{config};
  auto pool = make_pool(system);
  std::atomic<std::uint64_t> sent{0};
  std::atomic<bool> is_over{false};
  std::size_t looks = 0;
  std::size_t wrong = 0;
  std::thread looker{[&] {
    auto before = actor_pool::summary(pool);
    while (!is_over) {
      auto now = actor_pool::summary(pool);
      ++looks;
      wrong += follows(now, before, sent) ? 0U : 1U;
      before = std::move(now);
    }
  }};
  for (std::uint64_t i = 0; i < looked_at; ++i) {
    ++sent;
    caf::anon_send(pool, std::int64_t{1});
  }
  caf::scoped_actor self{system};
  self->request(pool, caf::infinite, caf::sys_atom{}, libpool::drain_atom{})
    .receive([] {}, [](const caf::error&) { FAIL("drain failed"); });
  is_over = true;
  looker.join();
  CHECK(looks > 0);
  CHECK(wrong == 0);
  auto told = actor_pool::summary(pool);
  CHECK(told.leases > 0);
  CHECK(told.tasks.accepted == looked_at);
  CHECK(told.tasks.completed == looked_at);
}

TEST_CASE(
  "requests are answered exactly once if their pool ends during a flood") {
  constexpr auto requests = 1'500;
  test::config config{2};
  caf::actor_system system{config};
  for (std::uint64_t round = 0; round < ends; ++round) {
    CAPTURE(round);
    auto pool = make_pool(system);
    test::asking_clients clients;
    for (auto i = 0; i < 2; ++i)
      clients.add(system, pool, {0, requests, requests});
    while (actor_pool::summary(pool).tasks.completed < 50 + 7 * round)
      std::this_thread::yield();
    caf::anon_send_exit(pool, round % 2 == 0 ? caf::exit_reason::user_shutdown
                                             : caf::exit_reason::kill);
    auto [right, wrong, errors] = clients.wait([] {});
    CHECK(right + errors == 2 * requests);
    CHECK(wrong == 0);
    auto books = actor_pool::summary(pool).tasks;
    CHECK(books.waiting == 0); // a handler may not have returned yet
    CHECK(books.balances());
  }
}
