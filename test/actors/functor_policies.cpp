#include "libpool/pool.hpp"
#include "support/probe.hpp"

#include <caf/actor_pool.hpp>
#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace functor_policies_tests {

using libpool::actor_pool;
using test::hand_cranked;
using test::probe;
using counts = std::vector<std::size_t>;

namespace {

struct world : hand_cranked {
  probe client{*this};
  std::vector<probe> ws = test::probes(*this, 3);

  caf::actor pool_with(actor_pool::policy how) {
    return actor_pool::make(system(), ws.size(), test::one_by_one(ws),
                            std::move(how));
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "CAF's policy objects work in a pool of the library") {
  auto pool = pool_with(caf::actor_pool::round_robin());
  for (auto i = 0; i < 6; ++i)
    client.send(pool, i);
  CHECK(test::received(ws) == counts{2, 2, 2});
}

TEST_CASE_FIXTURE(world,
                  "lambdas, functions and std::function objects are policies") {
  using guard = actor_pool::uplock;
  using workers = actor_pool::actor_vec;
  struct functions {
    static void first(caf::actor_system&, guard&, const workers& all,
                      caf::mailbox_element_ptr& element,
                      libpool::execution_context* host) {
      all.front()->enqueue(std::move(element), host);
    }
  };
  auto generic = [](auto&, auto& g, auto& all, auto& element, auto* host) {
    g.unlock();
    all.front()->enqueue(std::move(element), host);
  };
  std::function<void(caf::actor_system&, guard&, const workers&,
                     caf::mailbox_element_ptr&, libpool::execution_context*)>
    function = functions::first;
  client.send(pool_with(functions::first), 1);
  client.send(pool_with(generic), 2);
  client.send(pool_with(function), 3);
  CHECK(ws[0].received() == 3);
  function = nullptr;
  CHECK_FALSE(actor_pool::policy{function});
  CHECK(actor_pool::policy{generic});
}

TEST_CASE_FIXTURE(world, "a functor may wrap the policies of the library") {
  auto numbers_only =
    [rr = actor_pool::round_robin(), all = actor_pool::broadcast()](
      caf::actor_system& sys, actor_pool::uplock& guard,
      const actor_pool::actor_vec& workers, caf::mailbox_element_ptr& element,
      libpool::execution_context* host) {
      if (libpool::content_of(*element).match_elements<int>())
        rr(sys, guard, workers, element, host);
      else
        all(sys, guard, workers, element, host);
      CHECK_FALSE(guard.owns_lock());
    };
  auto pool = pool_with(numbers_only);
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  CHECK(test::received(ws) == counts{1, 1, 1});
  client.send(pool, std::string{"all"});
  CHECK(test::received(ws) == counts{2, 2, 2});
}

TEST_CASE_FIXTURE(
  world, "a functor can pass its own guard to a functor that it wraps") {
  actor_pool::policy inner = [](caf::actor_system&, actor_pool::uplock& guard,
                                const actor_pool::actor_vec& workers,
                                caf::mailbox_element_ptr& element,
                                libpool::execution_context* host) {
    CHECK(guard.upgrade());
    workers.back()->enqueue(std::move(element), host);
  };
  auto pool = pool_with([inner](auto& sys, actor_pool::uplock& guard,
                                auto& workers, auto& element, auto* host) {
    inner(sys, guard, workers, element, host);
    CHECK(guard.owns_lock());
  });
  client.send(pool, 1);
  client.send(pool, 1);
  CHECK(test::received(ws) == counts{0, 0, 2});
}

// -- reentrancy ---------------------------------------------------------------

TEST_CASE_FIXTURE(
  world, "a functor may deliver to workers that send to its pool immediately") {
  // Three levels deep, and each level as the subcase says.
  auto upgrades = false;
  auto lets_go = false;
  SUBCASE("with a shared guard") {}
  SUBCASE("with an upgraded guard") {
    upgrades = true;
  }
  SUBCASE("with a guard that was released") {
    lets_go = true;
  }
  auto pool = pool_with([&](caf::actor_system&, actor_pool::uplock& guard,
                            const actor_pool::actor_vec& workers,
                            caf::mailbox_element_ptr& element,
                            libpool::execution_context* host) {
    if (upgrades)
      CHECK(guard.upgrade());
    if (lets_go)
      guard.unlock();
    auto level = libpool::content_of(*element).get_as<int>(0);
    workers[static_cast<std::size_t>(level)]->enqueue(std::move(element), host);
  });
  for (auto i = 0; i < 2; ++i)
    ws[static_cast<std::size_t>(i)]->on_enqueue =
      [&, i](caf::mailbox_element& element) {
        if (libpool::content_of(element).match_elements<int>())
          client.send(pool, i + 1);
      };
  client.send(pool, 0);
  CHECK(test::received(ws) == counts{1, 1, 1});
}

TEST_CASE_FIXTURE(world,
                  "a functor may change the workers while it looks at them") {
  caf::actor pool;
  std::size_t seen_before = 0;
  std::size_t seen_after = 0;
  pool = pool_with([&](caf::actor_system&, actor_pool::uplock& guard,
                       const actor_pool::actor_vec& workers,
                       caf::mailbox_element_ptr& element,
                       libpool::execution_context* host) {
    seen_before = workers.size();
    for (auto& w : ws)
      client.send(pool, caf::sys_atom{}, caf::delete_atom{}, w.handle());
    CHECK(guard.upgrade());
    CHECK(actor_pool::stats(pool).workers == 0);
    seen_after = workers.size();
    workers[2]->enqueue(std::move(element), host);
  });
  client.send(pool, 1);
  CHECK(seen_before == 3);
  CHECK(seen_after == 3);
  CHECK(ws[2].received() == 1);
  CHECK(actor_pool::stats(pool).refused == 0);
  client.send(pool, 1);
  CHECK(actor_pool::stats(pool).refused == 1);
}

TEST_CASE_FIXTURE(world,
                  "a replaced worker set is released when the dispatch ends") {
  caf::actor pool;
  caf::actor_addr gone;
  pool = actor_pool::make(system(), [&](caf::actor_system&, actor_pool::uplock&,
                                        const actor_pool::actor_vec&,
                                        caf::mailbox_element_ptr&,
                                        libpool::execution_context*) {
    client.send(pool, caf::sys_atom{}, caf::delete_atom{});
    CHECK(caf::actor_cast<caf::strong_actor_ptr>(gone) != nullptr);
  });
  {
    probe only_in_pool{*this};
    gone = only_in_pool.handle().address();
    client.send(pool, caf::sys_atom{}, caf::put_atom{}, only_in_pool.handle());
  }
  client.send(pool, 1);
  client->inbox.clear();
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(gone) == nullptr);
}

TEST_CASE_FIXTURE(world, "each pool runs its own copy of the functor") {
  auto counting =
    [calls = std::size_t{0}](caf::actor_system&, actor_pool::uplock&,
                             const actor_pool::actor_vec& workers,
                             caf::mailbox_element_ptr& element,
                             libpool::execution_context* host) mutable {
      workers.at(calls++)->enqueue(std::move(element), host);
    };
  const actor_pool::policy how = counting;
  actor_pool::policy assigned;
  CHECK_FALSE(actor_pool::policy{assigned}); // a copy of an empty one
  assigned = how;
  REQUIRE(assigned);
  auto first = pool_with(how);
  auto second = pool_with(assigned);
  client.send(first, 1);
  client.send(second, 1);
  client.send(first, 1);
  CHECK(test::received(ws) == counts{2, 1, 0});
  void (*none)(caf::actor_system&, actor_pool::uplock&,
               const actor_pool::actor_vec&, caf::mailbox_element_ptr&,
               libpool::execution_context*) = nullptr;
  CHECK_FALSE(actor_pool::policy{none});
}

} // namespace functor_policies_tests
