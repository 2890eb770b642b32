#include "support/direct_world.hpp"

#include <caf/actor_pool.hpp>

namespace functor_policies_tests {

using libpool::actor_pool;
using test::probe;
using counts = std::vector<std::size_t>;
using guard = actor_pool::uplock;
using workers = actor_pool::actor_vec;
using world = test::direct_world;

namespace {

void to_first(caf::actor_system&, guard&, const workers& all,
              caf::mailbox_element_ptr& element,
              libpool::execution_context* host) {
  all.front()->enqueue(std::move(element), host);
}

} // namespace

TEST_CASE_FIXTURE(world, "CAF's policy objects work in a pool of the library") {
  auto pool = pool_with(caf::actor_pool::round_robin());
  for (auto i = 0; i < 6; ++i)
    client.send(pool, i);
  CHECK(test::received(ws) == counts{2, 2, 2});
}

TEST_CASE_FIXTURE(world,
                  "lambdas, functions and std::function objects are policies") {
  auto generic = [](auto&, auto& g, auto& all, auto& element, auto* host) {
    g.unlock();
    all.front()->enqueue(std::move(element), host);
  };
  std::function<decltype(to_first)> function = to_first;
  client.send(pool_with(to_first), 1);
  client.send(pool_with(generic), 2);
  client.send(pool_with(function), 3);
  CHECK(ws[0].received() == 3);
  CHECK(actor_pool::policy{generic});
  CHECK_FALSE(actor_pool::policy{std::function<decltype(to_first)>{}});
  CHECK_FALSE(actor_pool::policy{static_cast<decltype(&to_first)>(nullptr)});
}

TEST_CASE("policies compare with nullptr and swap like std::function") {
  actor_pool::policy none;
  auto some = actor_pool::round_robin();
  CHECK(none == nullptr);
  CHECK(some != nullptr);
  none.swap(some);
  CHECK(nullptr != none);
  CHECK(nullptr == some);
}

TEST_CASE_FIXTURE(world, "a functor may wrap the policies of the library") {
  auto pool = pool_with(
    [rr = actor_pool::round_robin(), all = actor_pool::broadcast()](
      caf::actor_system& sys, guard& g, const workers& of,
      caf::mailbox_element_ptr& element, libpool::execution_context* host) {
      if (libpool::content_of(*element).match_elements<int>())
        rr(sys, g, of, element, host);
      else
        all(sys, g, of, element, host);
      CHECK_FALSE(g.owns_lock());
    });
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  CHECK(test::received(ws) == counts{1, 1, 1});
  client.send(pool, std::string{"all"});
  CHECK(test::received(ws) == counts{2, 2, 2});
}

TEST_CASE_FIXTURE(
  world, "a functor can pass its own guard to a functor that it wraps") {
  actor_pool::policy inner =
    [](caf::actor_system&, guard& g, const workers& all,
       caf::mailbox_element_ptr& element, libpool::execution_context* host) {
      CHECK(g.upgrade());
      all.back()->enqueue(std::move(element), host);
    };
  auto pool = pool_with(
    [inner](auto& sys, guard& g, auto& all, auto& element, auto* host) {
      inner(sys, g, all, element, host);
      CHECK(g.owns_lock());
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
  auto pool =
    pool_with([&](auto&, guard& g, auto& all, auto& element, auto* host) {
      if (upgrades)
        CHECK(g.upgrade());
      if (lets_go)
        g.unlock();
      auto level = libpool::content_of(*element).template get_as<int>(0);
      all[static_cast<std::size_t>(level)]->enqueue(std::move(element), host);
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
  pool = pool_with([&](auto&, guard& g, auto& all, auto& element, auto* host) {
    CHECK(all.size() == 3);
    for (auto& w : ws)
      client.send(pool, caf::sys_atom{}, caf::delete_atom{}, w.handle());
    CHECK(g.upgrade());
    CHECK(actor_pool::stats(pool).workers == 0);
    CHECK(all.size() == 3);
    all[2]->enqueue(std::move(element), host);
  });
  client.send(pool, 1);
  CHECK(ws[2].received() == 1);
  CHECK(actor_pool::stats(pool).refused == 0);
  client.send(pool, 1);
  CHECK(actor_pool::stats(pool).refused == 1);
}

TEST_CASE_FIXTURE(world,
                  "a replaced worker set is released when the dispatch ends") {
  caf::actor pool;
  caf::actor_addr gone;
  pool = empty_pool([&](auto&, guard&, auto&, auto&, auto*) {
    client.send(pool, caf::sys_atom{}, caf::delete_atom{});
    CHECK_FALSE(is_gone(gone));
  });
  {
    probe only_in_pool{*this};
    gone = only_in_pool->address();
    client.put(pool, only_in_pool.handle());
  }
  client.send(pool, 1);
  forget();
  CHECK(is_gone(gone));
}

TEST_CASE_FIXTURE(world, "each pool runs its own copy of the functor") {
  const actor_pool::policy how =
    [calls = std::size_t{0}](auto&, guard&, auto& all, auto& element,
                             auto* host) mutable {
      all.at(calls++)->enqueue(std::move(element), host);
    };
  actor_pool::policy assigned;
  CHECK_FALSE(actor_pool::policy{assigned}); // a copy of an empty one
  assigned = how;
  REQUIRE(assigned);
  auto first = pool_with(how);
  auto second = pool_with(assigned);
  for (auto& each : {first, second, first})
    client.send(each, 1);
  CHECK(test::received(ws) == counts{2, 1, 0});
}

} // namespace functor_policies_tests
