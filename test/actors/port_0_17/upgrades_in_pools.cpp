/// Functor policies that upgrade to the lock of CAF's, or to both.

#include "libpool/pool.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace upgrades_in_pools_tests {

using libpool::actor_pool;
using test::hand_cranked;
using test::probe;

namespace {

struct world : hand_cranked {
  probe client{*this};
  std::vector<probe> ws = test::probes(*this, 2);

  caf::actor pool_with(actor_pool::policy how) {
    return actor_pool::make(system(), ws.size(), test::one_by_one(ws),
                            std::move(how));
  }
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "an upgrade to CAF's lock in a nested dispatch is refused") {
  auto under_guard = [](caf::actor_system&, actor_pool::uplock& guard,
                        const actor_pool::actor_vec& workers,
                        caf::mailbox_element_ptr& element,
                        libpool::execution_context* host) {
    if (libpool::content_of(*element)
          .match_elements<int>()) { // comes back as a string
      workers.front()->enqueue(std::move(element), host);
      return;
    }
    caf::upgrade_to_unique_lock<caf::detail::shared_spinlock> unique{guard};
    workers.back()->enqueue(std::move(element), host);
  };
  auto pool = pool_with(under_guard);
  ws[0]->on_enqueue = [&](caf::mailbox_element& element) {
    if (libpool::content_of(element).match_elements<int>())
      client.send(pool, std::string{"back"});
  };
  client.send(pool, std::string{"alone"});
  CHECK(ws[1].received() == 1);
  client.send(pool, 1);
  CHECK(ws[0].received() == 1);
  CHECK(actor_pool::stats(pool).refused == 1);
  client.send(pool, std::string{"alone again"});
  CHECK(ws[1].received() == 2);
}

TEST_CASE_FIXTURE(world,
                  "a message is refused if its policy upgrades libpool's lock "
                  "after an earlier upgrade of CAF's lock") {
  auto alternating = [n = 0](caf::actor_system&, actor_pool::uplock& guard,
                             const actor_pool::actor_vec& workers,
                             caf::mailbox_element_ptr& element,
                             libpool::execution_context* host) mutable {
    if (++n % 2 == 1) {
      caf::upgrade_to_unique_lock<caf::detail::shared_spinlock> unique{guard};
      workers.front()->enqueue(std::move(element), host);
    } else {
      caf::upgrade_to_unique_lock<libpool::shared_spinlock> unique{guard};
      workers.front()->enqueue(std::move(element), host);
    }
  };
  auto pool = pool_with(alternating);
  for (auto i = 0; i < 4; ++i)
    client.send(pool, i);
  CHECK(ws[0].received() == 2);
  CHECK(actor_pool::stats(pool).refused == 2);
}

TEST_CASE_FIXTURE(world,
                  "a guard that was upgraded is released as a shared one") {
  auto pool = pool_with([](caf::actor_system&, actor_pool::uplock& guard,
                           const actor_pool::actor_vec& workers,
                           caf::mailbox_element_ptr& element,
                           libpool::execution_context* host) {
    CHECK(guard.upgrade());
    { caf::upgrade_to_unique_lock<libpool::shared_spinlock> unique{guard}; }
    workers.front()->enqueue(std::move(element), host);
  });
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  CHECK(ws[0].received() == 3);
}

} // namespace upgrades_in_pools_tests
