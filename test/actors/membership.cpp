#include "support/direct_world.hpp"

namespace membership_tests {

using libpool::actor_pool;
using libpool::errc;
using test::probe;
using workers = actor_pool::actor_vec;

namespace {

/// An empty pool.
struct world : test::direct_world {
  caf::actor pool = empty_pool();
  const caf::actor a = ws[0].handle();
  const caf::actor b = ws[1].handle();
  const caf::actor c = ws[2].handle();

  workers get() {
    return client.ask(pool, caf::sys_atom{}, caf::get_atom{}).get<workers>();
  }

  test::reply put(const caf::actor& worker) {
    return client.put(pool, worker);
  }

  test::reply remove(const caf::actor& worker) {
    return client.remove(pool, worker);
  }

  void put_all() {
    for (auto& w : ws)
      CHECK(put(w.handle()).is_empty());
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "PUT adds a worker once, and is answered with an "
                         "empty message") {
  CHECK(put(a).is_empty());
  CHECK(put(a).is_empty());
  CHECK(get() == workers{a});
  client.send(pool, 1);
  CHECK(ws[0].received() == 1);
  SUBCASE("a single DELETE removes the worker") {
    remove(a);
    CHECK(get().empty());
  }
  SUBCASE("the end of the worker is noted once") {
    put(b);
    ws[0].die();
    CHECK(get() == workers{b});
  }
}

TEST_CASE_FIXTURE(world, "PUT refuses terminated workers and the pool itself, "
                         "and the pool continues") {
  ws[1].die();
  CHECK(put(b).error() == errc::worker_down);
  CHECK(put(pool).error() == errc::cycle);
  CHECK(put(a).is_empty());
  CHECK(put(b).error() == errc::worker_down);
  CHECK(put(caf::actor{}).error() == errc::worker_down);
  CHECK(remove(caf::actor{}).is_empty());
  client.send(pool, caf::sys_atom{}, caf::put_atom{}, pool);
  CHECK(get() == workers{a});
  CHECK(actor_pool::stats(pool).refused == 5);
}

TEST_CASE_FIXTURE(
  world,
  "asynchronous PUT and DELETE messages take effect and are not answered") {
  client.send(pool, caf::sys_atom{}, caf::put_atom{}, a);
  CHECK(get() == workers{a});
  client.send(pool, caf::sys_atom{}, caf::delete_atom{}, a);
  CHECK(get().empty());
  CHECK(client.received() == 2); // both GETs
}

TEST_CASE_FIXTURE(world, "DELETE removes a single worker, which stays alive") {
  put_all();
  CHECK(remove(b).is_empty());
  CHECK(remove(b).is_empty()); // is unknown now
  CHECK(get() == workers{a, c});
  CHECK(ws[1].exits().empty());
  SUBCASE("the worker may join again, as the last one") {
    put(b);
    CHECK(get() == workers{a, c, b});
    ws[1].die();
    CHECK(get() == workers{a, c});
  }
  SUBCASE("the end of the worker does not affect the pool") {
    remove(a);
    remove(c);
    for (auto& w : ws)
      w.die();
    CHECK(put(probe{*this}.handle()).is_empty());
  }
}

TEST_CASE_FIXTURE(world,
                  "DELETE of all workers leaves the pool alive and empty") {
  put_all();
  CHECK(client.remove_all(pool).is_empty());
  CHECK(get().empty());
  for (auto& w : ws) {
    CHECK(w.exits().empty());
    w.die();
  }
  CHECK(client.ask(pool, 1).error() == errc::no_workers);
  probe late{*this};
  CHECK(put(late.handle()).is_empty());
  client.send(pool, 1);
  CHECK(late.received() == 1);
}

TEST_CASE_FIXTURE(
  world, "GET is answered if it has a sender, even if it is not a request") {
  put(a);
  caf::anon_send(pool, caf::sys_atom{}, caf::get_atom{});
  CHECK(client.received() == 1);
  client.send(pool, caf::sys_atom{}, caf::get_atom{}); // as with CAF
  REQUIRE(client.received() == 2);
  auto& answer = libpool::content_of(*client->inbox.back());
  REQUIRE(answer.match_elements<workers>());
  CHECK(answer.get_as<workers>(0) == workers{a});
  CHECK(ws[0].received() == 0);
}

TEST_CASE_FIXTURE(world, "a worker that terminates leaves the pool") {
  put_all();
  ws[0].die();
  CHECK(get() == workers{b, c});
  ws[2].die(caf::exit_reason::normal);
  CHECK(get() == workers{b});
}

TEST_CASE_FIXTURE(world, "a direct pool ignores a forged down message") {
  auto down = [](const probe& of) {
    return caf::down_msg{of->address(), caf::exit_reason::kill};
  };
  client.send(pool, down(client));
  CHECK(get().empty()); // it lives
  put(a);
  client.send(pool, down(client));
  client.send(pool, down(ws[0])); // a lie: the worker is alive
  CHECK(get() == workers{a});
  // A request is answered all the same.
  CHECK(client.ask(pool, down(client)).error() == caf::sec::unexpected_message);
  CHECK(ws[0].received() == 0);
}

TEST_CASE_FIXTURE(
  world, "messages that only resemble management requests go to workers") {
  put(a);
  client.send(pool, caf::sys_atom{}, caf::get_atom{}, std::string{"info"});
  client.send(pool, caf::put_atom{}, caf::sys_atom{}, client.handle());
  client.send(pool, caf::put_atom{}, caf::get_atom{});
  client.send(pool, caf::sys_atom{}, caf::put_atom{}, 42);
  CHECK(ws[0].received() == 4);
}

TEST_CASE_FIXTURE(
  world, "management requests are answered by the pool, without its policy") {
  pool = empty_pool([](caf::actor_system&, actor_pool::uplock&, const workers&,
                       caf::mailbox_element_ptr&,
                       libpool::execution_context*) { FAIL("dispatched"); });
  put(a);
  CHECK(get().size() == 1);
  client.remove_all(pool);
  CHECK(get().empty());
}

TEST_CASE_FIXTURE(world,
                  "actor_pool::stats throws for actors that are not pools") {
  CHECK_THROWS_AS(actor_pool::stats(a), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::stats(caf::actor{}), std::invalid_argument);
}

TEST_CASE_FIXTURE(
  world, "a pool is the sender of the answers to management requests") {
  put(a);    // nothing
  put(pool); // an error
  get();     // workers
  client.remove_all(pool);
  client.ask(pool, 1); // refused
  REQUIRE(client.received() == 5);
  for (auto& answer : client->inbox)
    CHECK(answer->sender == caf::actor_cast<caf::strong_actor_ptr>(pool));
}

TEST_CASE_FIXTURE(world,
                  "workers that are removed keep no references to the pool") {
  auto& references = pool.address().get()->weak_refs;
  auto before = references.load();
  put_all();
  CHECK(references == before + 3);
  remove(b);
  CHECK(references == before + 2);
  client.remove_all(pool);
  CHECK(references == before);
}

TEST_CASE_FIXTURE(world, "a pool still monitors a shared worker after another "
                         "pool has removed the worker") {
  std::vector pools{empty_pool(), empty_pool()};
  for (std::size_t first = 0; first < 2; ++first) {
    for (auto& each : pools)
      client.put(each, ws[first].handle());
    client.remove(pools[first], ws[first].handle());
    ws[first].die();
    CHECK(client.ask(pools[first], 1).error() == errc::no_workers);
    CHECK(client.ask(pools[1 - first], 1).error()
          == caf::sec::request_receiver_down);
    pools = {empty_pool(), empty_pool()};
  }
}

} // namespace membership_tests
