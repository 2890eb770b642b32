/// Functor policies that upgrade to the lock of CAF's, or to both.

#include "support/direct_world.hpp"

namespace upgrades_in_pools_tests {

using caf::upgrade_to_unique_lock;
using libpool::actor_pool;
using guard = actor_pool::uplock;
using world = test::direct_world;
using caf_lock = caf::detail::shared_spinlock;
using own_lock = libpool::shared_spinlock;

TEST_CASE_FIXTURE(world,
                  "an upgrade to CAF's lock in a nested dispatch is refused") {
  auto pool = pool_with([](auto&, guard& g, auto& workers,
                           caf::mailbox_element_ptr& element, auto* host) {
    // A number comes back as a string.
    if (libpool::content_of(*element).match_elements<int>())
      return workers.front()->enqueue(std::move(element), host);
    upgrade_to_unique_lock<caf_lock> unique{g};
    workers.back()->enqueue(std::move(element), host);
  });
  ws[0]->on_enqueue = [&](caf::mailbox_element& element) {
    if (libpool::content_of(element).match_elements<int>())
      client.send(pool, std::string{"back"});
  };
  client.send(pool, std::string{"alone"});
  CHECK(ws[2].received() == 1);
  client.send(pool, 1);
  CHECK(ws[0].received() == 1);
  CHECK(actor_pool::stats(pool).refused == 1);
  client.send(pool, std::string{"alone again"});
  CHECK(ws[2].received() == 2);
}

TEST_CASE_FIXTURE(world,
                  "a message is refused if its policy upgrades libpool's lock "
                  "after an earlier upgrade of CAF's lock") {
  auto pool = pool_with(
    [n = 0](auto&, guard& g, auto& workers, auto& element, auto* host) mutable {
      if (++n % 2 == 1) {
        upgrade_to_unique_lock<caf_lock> unique{g};
        workers.front()->enqueue(std::move(element), host);
      } else {
        upgrade_to_unique_lock<own_lock> unique{g};
        workers.front()->enqueue(std::move(element), host);
      }
    });
  for (auto i = 0; i < 4; ++i)
    client.send(pool, i);
  CHECK(ws[0].received() == 2);
  CHECK(actor_pool::stats(pool).refused == 2);
}

TEST_CASE_FIXTURE(world,
                  "a guard that was upgraded is released as a shared one") {
  auto pool =
    pool_with([](auto&, guard& g, auto& workers, auto& element, auto* host) {
      CHECK(g.upgrade());
      { upgrade_to_unique_lock<own_lock> unique{g}; }
      workers.front()->enqueue(std::move(element), host);
    });
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  CHECK(ws[0].received() == 3);
}

} // namespace upgrades_in_pools_tests
