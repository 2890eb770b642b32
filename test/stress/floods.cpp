/// Pools with leases in real threads: looks at a flood, and ends in the midst
/// of one.

#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <thread>

namespace {

using libpool::actor_pool;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t looked_at = 20'000;
constexpr std::uint64_t ends = 12;
#else
constexpr std::uint64_t looked_at = 150'000;
constexpr std::uint64_t ends = 60;
#endif

caf::behavior counts_tiny() {
  return {[](int x) { return x; }};
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

/// Sends requests one after the other, and tells when all are answered.
struct flood {
  explicit flood(int n) : missing(n) {
    // nop
  }

  void answered() {
    if (--missing == 0)
      all_answered.set_value();
  }

  std::atomic<int> missing;
  std::promise<void> all_answered;
};

caf::behavior client(caf::event_based_actor* self, const caf::actor& pool,
                     int n, const std::shared_ptr<flood>& told) {
  for (auto x = 0; x < n; ++x)
    self->request(pool, caf::infinite, x)
      .then([told](int) { told->answered(); },
            [told](const caf::error&) { told->answered(); });
  return {[](int) {}};
}

} // namespace

TEST_CASE(
  "counters never decrease for a thread that polls a pool during a flood") {
  constexpr auto messages = looked_at;
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
  for (std::uint64_t i = 0; i < messages; ++i) {
    ++sent;
    caf::anon_send(pool, 1);
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
  CHECK(told.tasks.accepted == messages);
  CHECK(told.tasks.completed == messages);
}

TEST_CASE(
  "requests are answered exactly once if their pool ends during a flood") {
  constexpr auto rounds = ends;
  constexpr auto requests = 1'500;
  test::config config{2};
  caf::actor_system system{config};
  for (std::uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    auto pool = make_pool(system);
    auto told = std::make_shared<flood>(2 * requests);
    for (auto i = 0; i < 2; ++i)
      system.spawn(client, pool, requests, told);
    while (actor_pool::summary(pool).tasks.completed < 50 + 7 * round)
      std::this_thread::yield();
    caf::anon_send_exit(pool, round % 2 == 0 ? caf::exit_reason::user_shutdown
                                             : caf::exit_reason::kill);
    REQUIRE(told->all_answered.get_future().wait_for(test::patience)
            == std::future_status::ready);
    auto books = actor_pool::summary(pool).tasks;
    CHECK(books.waiting == 0); // a handler may not have returned yet
    CHECK(books.balances());
  }
}
