#include "libpool/pool.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <vector>

namespace membership_tests {

using libpool::actor_pool;
using libpool::errc;
using test::hand_cranked;
using test::probe;
using workers = actor_pool::actor_vec;

namespace {

struct world : hand_cranked {
  probe client{*this};
  caf::actor pool = actor_pool::make(system(), actor_pool::round_robin());

  workers get() {
    return client.ask(pool, caf::sys_atom{}, caf::get_atom{}).get<workers>();
  }

  test::reply put(const caf::actor& worker) {
    return client.ask(pool, caf::sys_atom{}, caf::put_atom{}, worker);
  }

  test::reply remove(const caf::actor& worker) {
    return client.ask(pool, caf::sys_atom{}, caf::delete_atom{}, worker);
  }

  test::reply remove_all() {
    return client.ask(pool, caf::sys_atom{}, caf::delete_atom{});
  }
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "PUT adds a worker, and is answered with an empty message") {
  probe a{*this};
  probe b{*this};
  CHECK(put(a.handle()).is_empty());
  CHECK(put(b.handle()).is_empty());
  CHECK(get() == workers{a.handle(), b.handle()});
}

TEST_CASE_FIXTURE(world,
                  "PUT of a worker that is in the pool changes nothing") {
  probe a{*this};
  put(a.handle());
  CHECK(put(a.handle()).is_empty());
  CHECK(get() == workers{a.handle()});
  client.send(pool, 1);
  CHECK(a.received() == 1);
  SUBCASE("a single DELETE removes the worker") {
    remove(a.handle());
    CHECK(get().empty());
  }
  SUBCASE("the end of the worker is noted once") {
    probe b{*this};
    put(b.handle());
    a.die();
    CHECK(get() == workers{b.handle()});
  }
}

TEST_CASE_FIXTURE(world,
                  "PUT refuses a terminated worker, and the pool continues") {
  probe dead{*this};
  dead.die();
  CHECK(put(dead.handle()).error() == errc::worker_down);
  CHECK(get().empty());
  probe alive{*this};
  CHECK(put(alive.handle()).is_empty());
  CHECK(put(dead.handle()).error() == errc::worker_down);
  CHECK(get() == workers{alive.handle()});
  CHECK(put(caf::actor{}).error() == errc::worker_down);
  CHECK(remove(caf::actor{}).is_empty());
  CHECK(get() == workers{alive.handle()});
}

TEST_CASE_FIXTURE(world, "PUT refuses to add a pool to itself") {
  CHECK(put(pool).error() == errc::cycle);
  CHECK(get().empty());
  client.send(pool, caf::sys_atom{}, caf::put_atom{}, pool);
  CHECK(get().empty());
  CHECK(actor_pool::stats(pool).refused == 2);
}

TEST_CASE_FIXTURE(
  world,
  "asynchronous PUT and DELETE messages take effect and are not answered") {
  probe a{*this};
  client.send(pool, caf::sys_atom{}, caf::put_atom{}, a.handle());
  CHECK(client.received() == 0);
  CHECK(get() == workers{a.handle()});
  client.send(pool, caf::sys_atom{}, caf::delete_atom{}, a.handle());
  CHECK(get().empty());
  CHECK(client.received() == 2); // both GETs
}

TEST_CASE_FIXTURE(world, "DELETE removes a single worker, which stays alive") {
  auto ws = test::probes(*this, 3);
  for (auto& w : ws)
    put(w.handle());
  CHECK(remove(ws[1].handle()).is_empty());
  CHECK(get() == workers{ws[0].handle(), ws[2].handle()});
  CHECK(ws[1].exits().empty());
  SUBCASE("DELETE of an unknown worker changes nothing and is answered") {
    CHECK(remove(ws[1].handle()).is_empty());
    CHECK(get().size() == 2);
  }
  SUBCASE("the worker may join again, as the last one") {
    put(ws[1].handle());
    CHECK(get() == workers{ws[0].handle(), ws[2].handle(), ws[1].handle()});
    ws[1].die();
    CHECK(get() == workers{ws[0].handle(), ws[2].handle()});
  }
  SUBCASE("the end of the worker does not affect the pool") {
    remove(ws[0].handle());
    remove(ws[2].handle());
    for (auto& w : ws)
      w.die();
    CHECK(put(probe{*this}.handle()).is_empty());
  }
}

TEST_CASE_FIXTURE(world,
                  "DELETE of all workers leaves the pool alive and empty") {
  auto ws = test::probes(*this, 3);
  for (auto& w : ws)
    put(w.handle());
  CHECK(remove_all().is_empty());
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
  probe a{*this};
  put(a.handle());
  auto before = client.received();
  caf::anon_send(pool, caf::sys_atom{}, caf::get_atom{});
  CHECK(client.received() == before);
  client.send(pool, caf::sys_atom{}, caf::get_atom{}); // as with CAF
  REQUIRE(client.received() == before + 1);
  auto& answer = libpool::content_of(*client->inbox.back());
  REQUIRE(answer.match_elements<workers>());
  CHECK(answer.get_as<workers>(0) == workers{a.handle()});
  CHECK(a.received() == 0);
}

TEST_CASE_FIXTURE(world, "a worker that terminates leaves the pool") {
  auto ws = test::probes(*this, 3);
  for (auto& w : ws)
    put(w.handle());
  ws[0].die();
  CHECK(get() == workers{ws[1].handle(), ws[2].handle()});
  ws[2].die(caf::exit_reason::normal);
  CHECK(get() == workers{ws[1].handle()});
}

TEST_CASE_FIXTURE(world, "a direct pool ignores a forged down message") {
  probe stranger{*this};
  auto down = [](const probe& of) {
    return caf::down_msg{of.handle().address(), caf::exit_reason::kill};
  };
  client.send(pool, down(stranger));
  CHECK(get().empty()); // it lives
  probe a{*this};
  put(a.handle());
  client.send(pool, down(stranger));
  client.send(pool, down(a)); // a lie: a is alive
  CHECK(get() == workers{a.handle()});
  CHECK(a.received() == 0);
}

TEST_CASE_FIXTURE(
  world, "messages that only resemble management requests go to workers") {
  probe a{*this};
  put(a.handle());
  client.send(pool, caf::sys_atom{}, caf::get_atom{}, std::string{"info"});
  client.send(pool, caf::put_atom{}, caf::sys_atom{}, client.handle());
  client.send(pool, caf::put_atom{}, caf::get_atom{});
  client.send(pool, caf::sys_atom{}, caf::put_atom{}, 42);
  CHECK(a.received() == 4);
}

TEST_CASE_FIXTURE(
  world, "management requests are answered by the pool, without its policy") {
  pool = actor_pool::make(
    system(), [](caf::actor_system&, actor_pool::uplock&, const workers&,
                 caf::mailbox_element_ptr&,
                 libpool::execution_context*) { FAIL("dispatched"); });
  probe a{*this};
  put(a.handle());
  CHECK(get().size() == 1);
  remove_all();
  CHECK(get().empty());
}

TEST_CASE("actor_pool::stats throws for actors that are not pools") {
  hand_cranked w;
  CHECK_THROWS_AS(actor_pool::stats(probe{w}.handle()), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::stats(caf::actor{}), std::invalid_argument);
}

TEST_CASE_FIXTURE(
  world, "a pool is the sender of the answers to management requests") {
  probe a{*this};
  put(a.handle()); // nothing
  put(pool);       // an error
  get();           // workers
  remove_all();
  client.ask(pool, 1); // refused
  REQUIRE(client.received() == 5);
  for (auto& answer : client->inbox)
    CHECK(answer->sender == caf::actor_cast<caf::strong_actor_ptr>(pool));
}

TEST_CASE_FIXTURE(world,
                  "workers that are removed keep no references to the pool") {
  auto& references = pool.address().get()->weak_refs;
  auto before = references.load();
  auto ws = test::probes(*this, 3);
  for (auto& w : ws)
    put(w.handle());
  CHECK(references == before + 3);
  remove(ws[1].handle());
  CHECK(references == before + 2);
  remove_all();
  CHECK(references == before);
}

TEST_CASE_FIXTURE(world, "a pool still monitors a shared worker after another "
                         "pool has removed the worker") {
  auto other = actor_pool::make(system(), actor_pool::round_robin());
  probe shared{*this};
  put(shared.handle());
  client.send(other, caf::sys_atom{}, caf::put_atom{}, shared.handle());
  SUBCASE("after the first pool has removed the worker") {
    remove(shared.handle());
    shared.die();
    CHECK(client.ask(pool, 1).error() == errc::no_workers);
    CHECK(client.ask(other, 1).error() == caf::sec::request_receiver_down);
  }
  SUBCASE("after the second pool has removed the worker") {
    client.send(other, caf::sys_atom{}, caf::delete_atom{}, shared.handle());
    shared.die();
    CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
    CHECK(client.ask(other, 1).error() == errc::no_workers);
  }
}

} // namespace membership_tests
