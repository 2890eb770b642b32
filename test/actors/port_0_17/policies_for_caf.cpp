/// Policies as users wrote them for `caf::actor_pool`.

#include "support/direct_world.hpp"

namespace policies_for_caf_tests {

using libpool::caf_guard;
using libpool::caf_lock;
using test::direct_world;
using uplock = libpool::actor_pool::uplock;

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

} // namespace

TEST_CASE_FIXTURE(direct_world, "policies written for CAF work unchanged") {
  auto check = [this](const caf::actor& pool) {
    for (auto i = 0; i < 9; ++i)
      client.send(pool, i);
    CHECK(test::received(ws) == std::vector<std::size_t>{3, 3, 3});
    forget();
  };
  // with the names that the pool itself gives
  check(pool_with(fewest_first<uplock, uplock::lockable>{}));
  check(pool_with(fewest_first<uplock, libpool::shared_spinlock>{}));
  // with the lock of CAF
  check(pool_with(fewest_first<uplock, caf_lock>{}));
  // with all names of CAF
  check(pool_with(fewest_first<caf_guard, caf_lock>{}));
  // The other half of "unchanged": the same functor type in a pool of CAF.
  auto pool = test::pool_of_caf(system(), 3, test::one_by_one(ws),
                                fewest_first<caf_guard, caf_lock>{});
  check(pool);
  stop(pool);
}

} // namespace policies_for_caf_tests
