#include "support/config.hpp"
#include "support/direct_world.hpp"

#include <atomic>

namespace lifetime_tests {

using caf::exit_reason;
using libpool::actor_pool;
using libpool::errc;
using test::hand_cranked;
using test::probe;

namespace {

constexpr auto down = caf::sec::request_receiver_down;

/// A pool of three workers.
struct world : test::direct_world {
  std::vector<caf::error> ends; ///< The reasons for which the pool ended.
  std::vector<std::size_t> exits_before_end;
  caf::actor pool = pool_with(actor_pool::round_robin());

  world() {
    pool->attach_functor([this](const caf::error& reason) {
      ends.push_back(reason);
      for (auto& w : ws)
        exits_before_end.push_back(w.exits().size());
    });
  }
};

/// Answers with the number of its message; 0 is the last one that it handles.
caf::behavior mortal(caf::event_based_actor* self) {
  return {[self](int x) {
    if (x == 0)
      self->quit(exit_reason::kill);
    return x;
  }};
}

/// Asks another actor and passes the answer on.
caf::behavior go_between(caf::event_based_actor* self,
                         const caf::actor& other) {
  return {[=](int x) {
    auto promise = self->make_response_promise<int>();
    self->request(other, caf::infinite, x).then([promise](int y) mutable {
      promise.deliver(y);
    });
    return promise;
  }};
}

/// A pool in a world with random interleavings.
struct random_world : hand_cranked {
  using hand_cranked::hand_cranked;

  probe client{*this};
  const std::size_t none = running();
  std::vector<std::uint64_t> sent;

  template <class... Ts>
  caf::actor pool_of(std::size_t n, Ts... worker) {
    return actor_pool::make(
      system(), n, [=] { return system().spawn(worker...); },
      actor_pool::round_robin());
  }

  void request(const caf::actor& pool, int first, int last) {
    for (auto i = first; i <= last; ++i)
      sent.push_back(client.request(pool, i));
  }
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "an exit message reaches all workers and ends the pool") {
  auto before = running();
  caf::error why = exit_reason::kill;
  auto reason = why;
  SUBCASE("with a reason") {}
  SUBCASE("without a reason") {
    why = {};
    reason = exit_reason::user_shutdown;
  }
  client.send(pool, caf::exit_msg{client->address(), why});
  client.send(pool, caf::exit_msg{client->address(), why}); // has no effect
  for (auto& w : ws) {
    REQUIRE(w.exits().size() == 1);
    CHECK(w.exits().front() == reason);
    auto& exit = libpool::content_of(*w->inbox[0]).get_as<caf::exit_msg>(0);
    CHECK(exit.source == pool.address());
  }
  CHECK(ends.size() == 1);
  CHECK(exits_before_end == std::vector<std::size_t>{1, 1, 1});
  CHECK(running() == before - 1);
  // The ended pool refuses all requests.
  CHECK(client.ask(pool, 1).error() == down);
  CHECK(client.put(pool, probe{*this}.handle()).error() == down);
  CHECK(client.remove(pool, ws[0].handle()).error() == down);
  CHECK(client.remove_all(pool).error() == down);
  CHECK(client.ask(pool, caf::sys_atom{}, caf::get_atom{}).error() == down);
  CHECK(actor_pool::stats(pool).workers == 0);
}

TEST_CASE_FIXTURE(world, "a pool ends when its last worker terminates") {
  ws[0].die();
  ws[1].die(exit_reason::normal);
  CHECK(ends.empty());
  ws[2].die();
  REQUIRE(ends.size() == 1);
  CHECK(ends.front() == exit_reason::out_of_workers);
  CHECK(client.ask(pool, 1).error() == down);
  CHECK(client.put(pool, probe{*this}.handle()).error() == down);
}

TEST_CASE_FIXTURE(
  world,
  "a pool ends and releases its workers when its last handle is released") {
  auto before = running();
  pool = nullptr;
  REQUIRE(ends.size() == 1);
  CHECK(ends.front() == exit_reason::unreachable);
  CHECK(running() == before - 1);
  for (auto& w : ws)
    CHECK(w.exits().empty());
  ws[0].die(); // of which no actor is told
}

TEST_CASE("workers of a pool without handles finish the requests that they "
          "have started") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    random_world w{seed};
    probe slow{w};
    auto pool = w.pool_of(2, go_between, slow.handle());
    w.request(pool, 0, 5);
    pool = nullptr;
    w.run();
    REQUIRE(slow.received() == 6);
    CHECK(w.running() == w.none + 2); // they wait for answers
    for (std::size_t i = 0; i < 6; ++i)
      slow.answer(i, test::numbers_of(slow).at(i) + 100);
    slow->inbox.clear();
    w.run();
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(w.client.answer_to(w.sent[i]).get<int>()
            == static_cast<int>(i) + 100);
    w.client->inbox.clear();
    CHECK(w.running() == w.none);
  }
}

TEST_CASE("the blocking worker of a pool is stopped when the last handle of "
          "the pool is gone") {
  // A thread of its own; the actor system waits for its end.
  test::config config;
  caf::actor_system system{config};
  std::atomic<bool> ended{false};
  auto wait = [&ended](caf::blocking_actor* self) {
    auto running = true;
    self->receive_while(running)(
      [&](const caf::exit_msg&) { running = false; });
    ended = true;
  };
  actor_pool::make(
    system, 1, [&] { return system.spawn(wait); }, actor_pool::round_robin());
  system.await_all_actors_done();
  CHECK(ended);
}

TEST_CASE("workers handle the requests that they have received before they are "
          "stopped with the pool") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    random_world w{seed};
    auto pool = w.pool_of(4, mortal);
    CHECK(w.running() == w.none + 5);
    w.request(pool, 1, 40);
    w.stop(pool);
    CHECK(w.running() == w.none);
    for (std::size_t i = 0; i < 40; ++i)
      CHECK(w.client.answer_to(w.sent[i]).get<int>()
            == 1 + static_cast<int>(i));
    CHECK(w.client.ask(pool, 1).error() == down);
  }
}

TEST_CASE("requests that a terminated worker has not handled fail, and other "
          "workers continue") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    random_world w{seed};
    auto pool = w.pool_of(2, mortal);
    w.request(pool, 0, 20); // the first one ends the first worker
    w.run();
    for (std::size_t i = 0; i < w.sent.size(); ++i) {
      auto answer = w.client.answer_to(w.sent[i]);
      CHECK(answer.count == 1);
      if (i % 2 == 0 && i > 0)
        CHECK(answer.error() == down);
      else
        CHECK(answer.get<int>() == static_cast<int>(i));
    }
    CHECK(actor_pool::stats(pool).workers == 1);
    CHECK(w.client.ask(pool, 7).get<int>() == 7);
  }
}

TEST_CASE_FIXTURE(world,
                  "a pool ends when an actor that is linked to the pool ends") {
  client->link_to(pool);
  client.die(exit_reason::normal);
  CHECK(ends.size() == 1);
  CHECK(ws[0].exits().size() == 1);
}

TEST_CASE_FIXTURE(hand_cranked, "making a pool with invalid arguments throws") {
  auto rr = actor_pool::round_robin();
  std::function<caf::actor()> no_factory;
  auto no_actor = [] { return caf::actor{}; };
  using wrong = std::invalid_argument;
  CHECK_THROWS_AS(actor_pool::make(system(), nullptr), wrong);
  CHECK_THROWS_AS(actor_pool::make(system(), actor_pool::policy{}), wrong);
  CHECK_THROWS_AS(actor_pool::make(system(), 1, no_factory, rr), wrong);
  CHECK_THROWS_AS(actor_pool::make(system(), 1, no_actor, rr), wrong);
}

TEST_CASE_FIXTURE(hand_cranked,
                  "workers that a factory made before it threw are stopped") {
  auto ws = test::probes(*this, 2);
  auto factory = [&, i = std::size_t{0}]() mutable -> caf::actor {
    if (i == 2)
      throw std::runtime_error{"no more"};
    return ws[i++].handle();
  };
  CHECK_THROWS_WITH(
    actor_pool::make(system(), 5, factory, actor_pool::round_robin()),
    "no more");
  for (auto& worker : ws)
    CHECK(worker.exits().size() == 1);
}

TEST_CASE_FIXTURE(
  test::direct_world,
  "a worker that terminates while a pool is made is not in it") {
  auto rr = actor_pool::round_robin();
  SUBCASE("before the factory returns the worker") {
    ws[0].die();
    CHECK(actor_pool::stats(pool_with(rr)).workers == 2);
    auto empty = pool_of({ws[0]}, rr);
    CHECK(client.ask(empty, 1).error() == errc::no_workers);
  }
  SUBCASE("while the next one is made") {
    auto factory = [&, i = std::size_t{0}]() mutable {
      if (i == 1)
        ws[0].die();
      return ws[i++].handle();
    };
    auto pool = actor_pool::make(system(), 2, factory, rr);
    CHECK(actor_pool::stats(pool).workers == 1);
    client.send(pool, 1);
    CHECK(ws[1].received() == 1);
  }
}

TEST_CASE_FIXTURE(
  hand_cranked,
  "the error about a worker that a factory returned twice names the worker") {
  auto worker = system().spawn<test::doubler>();
  auto said = "libpool: actor_pool::make: the factory returned "
              + test::name_of(worker) + " twice";
  for (const auto& how :
       {actor_pool::round_robin(), actor_pool::shared_queue()})
    CHECK_THROWS_WITH_AS(actor_pool::make(
                           system(), 2, [&] { return worker; }, how),
                         said.c_str(), std::invalid_argument);
}

TEST_CASE_FIXTURE(world,
                  "every overload of make applies the options of the pool") {
  auto refused = 0;
  libpool::pool_options options;
  options.on_refused = [&](libpool::refusal&) { ++refused; };
  auto rr = actor_pool::round_robin();
  auto no_actor = [] { return caf::actor{}; };
  for (auto& made : {actor_pool::make(system(), rr, options),
                     actor_pool::make(system(), 0, no_actor, rr, options)}) {
    client.send(made, 1);
    CHECK(std::exchange(refused, 0) == 1);
  }
}

TEST_CASE_FIXTURE(
  test::direct_world,
  "a worker that is unlinked from its pool is still monitored") {
  auto pool = empty_pool();
  for (auto& worker : ws) {
    worker->link_to(pool);
    client.put(pool, worker.handle());
    worker->unlink_from(pool);
  }
  ws[1].die();
  CHECK(actor_pool::stats(pool).workers == 2);
}

} // namespace lifetime_tests
