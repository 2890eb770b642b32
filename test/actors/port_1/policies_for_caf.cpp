/// Policies as users wrote them for `caf::actor_pool`.

#include "support/direct_world.hpp"

namespace policies_for_caf_tests {

using libpool::caf_guard;
using test::direct_world;

namespace {

/// A functor as a user of `caf::actor_pool` wrote it: the worker with the
/// fewest messages so far.
template <class Guard>
struct fewest_first {
  std::vector<std::size_t> sent;

  void operator()(caf::actor_system&, Guard& guard,
                  const std::vector<caf::actor>& workers,
                  caf::mailbox_element_ptr& ptr,
                  libpool::execution_context* host) {
    CHECK(guard.owns_lock());
    sent.resize(workers.size());
    auto least = std::min_element(sent.begin(), sent.end());
    ++*least;
    auto worker = workers[static_cast<std::size_t>(least - sent.begin())];
    guard.unlock();
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
  check(pool_with(fewest_first<libpool::actor_pool::uplock>{}));
  check(pool_with(fewest_first<caf_guard>{}));
  // The other half of "unchanged": the same functor type in a pool of CAF.
  auto pool = test::pool_of_caf(system(), 3, test::one_by_one(ws),
                                fewest_first<caf_guard>{});
  check(pool);
  stop(pool);
}

} // namespace policies_for_caf_tests
