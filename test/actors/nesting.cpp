#include "libpool/pool.hpp"
#include "support/probe.hpp"

#include <caf/actor_pool.hpp>
#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace nesting_tests {

using libpool::actor_pool;
using libpool::errc;
using test::doubler;
using test::hand_cranked;
using test::probe;
using counts = std::vector<std::size_t>;

namespace {

struct world : hand_cranked {
  probe client{*this};

  caf::actor empty_pool(actor_pool::policy how = actor_pool::round_robin()) {
    return actor_pool::make(system(), std::move(how));
  }

  void put(const caf::actor& pool, const caf::actor& worker) {
    CHECK(
      client.ask(pool, caf::sys_atom{}, caf::put_atom{}, worker).is_empty());
  }

  void end(const caf::actor& pool) {
    client.send(pool, caf::exit_msg{pool.address(), caf::exit_reason::kill});
  }
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "pools of pools deliver to the workers of the inner pools") {
  auto ws = test::probes(*this, 4);
  auto hand_out = test::one_by_one(ws);
  auto inner = [&] {
    return actor_pool::make(system(), 2, hand_out, actor_pool::broadcast());
  };
  SUBCASE("by round robin in the outer pool") {
    auto pool = actor_pool::make(system(), 2, inner, actor_pool::round_robin());
    client.send(pool, 1);
    CHECK(test::received(ws) == counts{1, 1, 0, 0});
    client.send(pool, 1);
    CHECK(test::received(ws) == counts{1, 1, 1, 1});
    end(pool);
    for (auto& w : ws)
      CHECK(w.exits().size() == 1);
  }
  SUBCASE("by broadcast in the outer pool") {
    auto pool = actor_pool::make(system(), 2, inner, actor_pool::broadcast());
    client.send(pool, 1);
    CHECK(test::received(ws) == counts{1, 1, 1, 1});
  }
}

TEST_CASE_FIXTURE(
  world, "a pool whose last worker is a pool ends when that pool ends") {
  probe worker{*this};
  auto inner = empty_pool();
  auto outer = empty_pool();
  put(inner, worker.handle());
  put(outer, inner);
  worker.die();
  CHECK(client.ask(inner, 1).error() == caf::sec::request_receiver_down);
  CHECK(client.ask(outer, 1).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(world, "a request to an outer pool is refused by the inner "
                         "pool if the inner pool has no workers") {
  auto inner = empty_pool();
  auto outer = empty_pool();
  put(outer, inner);
  CHECK(client.ask(outer, 1).error() == errc::no_workers);
  CHECK(actor_pool::stats(inner).refused == 1);
  CHECK(actor_pool::stats(outer).refused == 0);
}

TEST_CASE_FIXTURE(world, "pools that contain each other refuse messages") {
  std::size_t length = 0;
  SUBCASE("two pools") {
    length = 2;
  }
  SUBCASE("five pools") {
    length = 5;
  }
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
  CHECK(client.ask(ring.back(), 1).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(
  world, "a broadcast into a cycle of pools reaches each worker once") {
  auto ws = test::probes(*this, 2);
  auto first = empty_pool(actor_pool::broadcast());
  auto second = empty_pool(actor_pool::broadcast());
  put(first, second);
  put(first, ws[0].handle());
  put(second, first);
  put(second, ws[1].handle());
  client.send(first, 1);
  CHECK(test::received(ws) == counts{1, 1});
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
  // The worker is no pool; it sends on when it gets something.
  probe worker{*this};
  auto pool = empty_pool();
  put(pool, worker.handle());
  worker->on_enqueue = [&](caf::mailbox_element& element) {
    auto left = libpool::content_of(element).match_elements<int>()
                  ? libpool::content_of(element).get_as<int>(0)
                  : 0; // an exit message
    if (left > 0)
      client.send(pool, left - 1);
  };
  client.send(pool, 20);
  CHECK(worker.received() == 21);
  CHECK(actor_pool::stats(pool).refused == 0);
}

TEST_CASE("nested pools and their workers end together") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    hand_cranked w{seed};
    probe client{w};
    auto none = w.running();
    auto inner = [&w] {
      return actor_pool::make(
        w.system(), 3, [&w] { return w.system().spawn<doubler>(); },
        actor_pool::random(1));
    };
    auto pool = actor_pool::make(w.system(), 3, inner,
                                 actor_pool::round_robin());
    CHECK(w.running() == none + 1 + 3 + 9);
    CHECK(client.ask(pool, 21).get<int>() == 42);
    client.send(pool, caf::exit_msg{pool.address(), caf::exit_reason::kill});
    w.run();
    CHECK(w.running() == none);
  }
}

TEST_CASE_FIXTURE(world, "messages that a worker sends to its own pool are "
                         "delivered even if inner pools form a cycle") {
  // The pool is in no circle, two pools behind it are.
  auto pool = empty_pool(actor_pool::broadcast());
  auto first = empty_pool();
  auto second = empty_pool();
  put(first, second);
  put(second, first);
  probe worker{*this};
  put(pool, worker.handle());
  put(pool, first);
  worker->on_enqueue = [&](caf::mailbox_element& element) {
    if (libpool::content_of(element).match_elements<int>()
        && libpool::content_of(element).get_as<int>(0) > 0)
      client.send(pool, libpool::content_of(element).get_as<int>(0) - 1);
  };
  client.send(pool, 1);
  CHECK(worker.received() == 2);
  CHECK(actor_pool::stats(pool).refused == 0);
  end(first);
}

} // namespace nesting_tests
