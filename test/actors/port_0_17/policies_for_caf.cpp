/// Policies as users wrote them for `caf::actor_pool`.

#include "libpool/pool.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace policies_for_caf_tests {

using libpool::actor_pool;
using libpool::caf_guard;
using libpool::caf_lock;
using test::hand_cranked;
using test::probe;
using counts = std::vector<std::size_t>;

namespace {

/// A functor as a user of `caf::actor_pool` wrote it: the worker with the
/// fewest messages so far. Guard and upgrade as the two parameters say; the
/// body stays.
template <class Guard, class Lock>
struct fewest_first {
  std::vector<std::size_t> sent;

  void operator()(caf::actor_system&, Guard& guard,
                  const std::vector<caf::actor>& workers,
                  caf::mailbox_element_ptr& ptr,
                  libpool::execution_context* host) {
    caf::upgrade_to_unique_lock<Lock> unique_guard{guard};
    CHECK(unique_guard.owns_lock());
    CHECK_FALSE(guard.owns_lock());
    sent.resize(workers.size());
    auto least = std::min_element(sent.begin(), sent.end());
    ++*least;
    auto worker = workers[static_cast<std::size_t>(least - sent.begin())];
    unique_guard.unlock();
    worker->enqueue(std::move(ptr), host);
  }
};

struct world : hand_cranked {
  probe client{*this};
  std::vector<probe> ws = test::probes(*this, 3);

  caf::actor pool_with(actor_pool::policy how) {
    return actor_pool::make(system(), ws.size(), test::one_by_one(ws),
                            std::move(how));
  }
};

} // namespace

TEST_CASE_TEMPLATE_DEFINE("policies written for CAF work unchanged", T,
                          for_caf) {
  world w;
  auto pool = w.pool_with(T{});
  for (auto i = 0; i < 9; ++i)
    w.client.send(pool, i);
  CHECK(test::received(w.ws) == counts{3, 3, 3});
}

TEST_CASE_TEMPLATE_INVOKE(
  for_caf,
  // with the names that the pool itself gives
  fewest_first<actor_pool::uplock, actor_pool::uplock::lockable>,
  fewest_first<actor_pool::uplock, libpool::shared_spinlock>,
  // with the lock of CAF
  fewest_first<actor_pool::uplock, caf_lock>,
  // with all names of CAF
  fewest_first<caf_guard, caf_lock>);

TEST_CASE(
  "the policy that runs in a pool of libpool also runs in a caf::actor_pool") {
  // The other half of "unchanged": the same functor type in both.
  world w;
  auto pool = test::pool_of_caf(w.system(), 3, test::one_by_one(w.ws),
                                fewest_first<caf_guard, caf_lock>{});
  for (auto i = 0; i < 9; ++i)
    w.client.send(pool, i);
  CHECK(test::received(w.ws) == counts{3, 3, 3});
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

} // namespace policies_for_caf_tests
