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
using test::hand_cranked;
using test::probe;
using counts = std::vector<std::size_t>;

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

TEST_CASE_TEMPLATE_INVOKE(for_caf, fewest_first<actor_pool::uplock>,
                          fewest_first<caf_guard>);

TEST_CASE(
  "the policy that runs in a pool of libpool also runs in a caf::actor_pool") {
  // The other half of "unchanged": the same functor type in both.
  world w;
  auto pool = test::pool_of_caf(w.system(), 3, test::one_by_one(w.ws),
                                fewest_first<caf_guard>{});
  for (auto i = 0; i < 9; ++i)
    w.client.send(pool, i);
  CHECK(test::received(w.ws) == counts{3, 3, 3});
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

} // namespace policies_for_caf_tests
