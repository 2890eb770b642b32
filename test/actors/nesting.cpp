#include "support/direct_world.hpp"

#include <caf/actor_pool.hpp>

namespace nesting_tests {

using libpool::actor_pool;
using libpool::errc;
using test::probe;
using counts = std::vector<std::size_t>;

namespace {

constexpr auto down = caf::sec::request_receiver_down;

struct world : test::direct_world {
  using direct_world::direct_world;

  void put(const caf::actor& pool, const caf::actor& worker) {
    CHECK(client.put(pool, worker).is_empty());
  }

  /// Has worker 0 send each number above 0 back to the pool, minus 1.
  void send_back_to(const caf::actor& pool) {
    ws[0]->on_enqueue = [this, pool](caf::mailbox_element& element) {
      auto& content = libpool::content_of(element);
      if (content.match_elements<int>() && content.get_as<int>(0) > 0)
        client.send(pool, content.get_as<int>(0) - 1);
    };
    put(pool, ws[0].handle());
  }
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "pools of pools deliver to the workers of the inner pools") {
  auto all = test::probes(*this, 4);
  auto hand_out = test::one_by_one(all);
  auto inner = [&] {
    return actor_pool::make(system(), 2, hand_out, actor_pool::broadcast());
  };
  SUBCASE("by round robin in the outer pool") {
    auto pool = actor_pool::make(system(), 2, inner, actor_pool::round_robin());
    client.send(pool, 1);
    CHECK(test::received(all) == counts{1, 1, 0, 0});
    client.send(pool, 1);
    CHECK(test::received(all) == counts{1, 1, 1, 1});
    end(pool);
    for (auto& w : all)
      CHECK(w.exits().size() == 1);
  }
  SUBCASE("by broadcast in the outer pool") {
    auto pool = actor_pool::make(system(), 2, inner, actor_pool::broadcast());
    client.send(pool, 1);
    CHECK(test::received(all) == counts{1, 1, 1, 1});
  }
}

TEST_CASE_FIXTURE(
  world, "a pool whose last worker is a pool ends when that pool ends") {
  auto inner = empty_pool();
  auto outer = empty_pool();
  put(outer, inner);
  // Without workers, the inner pool refuses.
  CHECK(client.ask(outer, 1).error() == errc::no_workers);
  CHECK(actor_pool::stats(inner).refused == 1);
  CHECK(actor_pool::stats(outer).refused == 0);
  put(inner, ws[0].handle());
  ws[0].die();
  CHECK(client.ask(inner, 1).error() == down);
  CHECK(client.ask(outer, 1).error() == down);
}

TEST_CASE_FIXTURE(world, "pools that contain each other refuse messages") {
  for (std::size_t length : {2U, 5U}) {
    std::vector<caf::actor> ring;
    for (std::size_t i = 0; i < length; ++i)
      ring.push_back(empty_pool());
    for (std::size_t i = 0; i < length; ++i)
      put(ring[i], ring[(i + 1) % length]);
    auto answer = client.ask(ring.front(), 1);
    CHECK(answer.count == 1);
    CHECK(answer.error() == errc::cycle);
    client.send(ring.front(), 1);
    CHECK(actor_pool::stats(ring.front()).refused == 2);
    end(ring.front());
    CHECK(client.ask(ring.back(), 1).error() == down);
  }
}

TEST_CASE_FIXTURE(
  world, "a broadcast into a cycle of pools reaches each worker once") {
  auto first = pool_of({ws[0]}, actor_pool::broadcast());
  auto second = pool_of({ws[1]}, actor_pool::broadcast());
  put(first, second);
  put(second, first);
  client.send(first, 1);
  CHECK(test::received(ws) == counts{1, 1, 0});
  CHECK(actor_pool::stats(first).refused == 1);
  end(first);
}

TEST_CASE_FIXTURE(world, "a request fails with errc::cycle if pools form a "
                         "cycle through a pool of CAF") {
  auto pool = empty_pool();
  auto foreign = test::pool_of_caf(
    system(), 1, [&] { return pool; }, caf::actor_pool::round_robin());
  put(pool, foreign);
  CHECK(client.ask(pool, 1).error() == errc::cycle);
  end(pool);
}

TEST_CASE_FIXTURE(
  world, "messages that a worker sends back to its pool are not a cycle") {
  auto pool = empty_pool(actor_pool::broadcast());
  send_back_to(pool);
  client.send(pool, 20);
  CHECK(ws[0].received() == 21);
  CHECK(actor_pool::stats(pool).refused == 0);
  // The pool is in no circle, but two pools behind it are.
  auto first = empty_pool();
  auto second = empty_pool();
  put(first, second);
  put(second, first);
  put(pool, first);
  client.send(pool, 1);
  CHECK(ws[0].received() == 23);
  CHECK(actor_pool::stats(pool).refused == 0);
  end(first);
  end(pool);
  ws[0]->on_enqueue = nullptr;
}

TEST_CASE("nested pools and their workers end together") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    world w{seed};
    auto none = w.running();
    auto inner = [&w] {
      return actor_pool::make(
        w.system(), 3, [&w] { return w.system().spawn<test::doubler>(); },
        actor_pool::random(1));
    };
    auto pool = actor_pool::make(w.system(), 3, inner,
                                 actor_pool::round_robin());
    CHECK(w.running() == none + 1 + 3 + 9);
    CHECK(w.client.ask(pool, 21).get<int>() == 42);
    w.end(pool);
    w.run();
    CHECK(w.running() == none);
  }
}

} // namespace nesting_tests
