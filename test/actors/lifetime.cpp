#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lifetime_tests {

using caf::exit_reason;
using libpool::actor_pool;
using libpool::errc;
using test::doubler;
using test::hand_cranked;
using test::probe;

namespace {

struct world : hand_cranked {
  probe client{*this};
  std::vector<probe> ws = test::probes(*this, 3);
  std::vector<caf::error> ends; ///< The reasons for which the pool ended.
  caf::actor pool = actor_pool::make(system(), ws.size(), test::one_by_one(ws),
                                     actor_pool::round_robin());

  world() {
    pool->attach_functor(
      [this](const caf::error& reason) { ends.push_back(reason); });
  }
};

/// Answers with the number of its message; 0 is the last one that it handles.
class mortal final : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[this](int x) {
      if (x == 0)
        quit(caf::exit_reason::kill);
      return x;
    }};
  }
};

/// Asks another actor and passes the answer on.
class go_between final : public caf::event_based_actor {
public:
  go_between(caf::actor_config& cfg, caf::actor other)
    : caf::event_based_actor(cfg), other_(std::move(other)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](int x) {
      auto promise = make_response_promise<int>();
      request(other_, caf::infinite, x).then([promise](int y) mutable {
        promise.deliver(y);
      });
      return promise;
    }};
  }

private:
  caf::actor other_;
};

/// Waits for messages in a thread of its own until it is told to stop.
class waiter final : public caf::blocking_actor {
public:
  waiter(caf::actor_config& cfg, std::shared_ptr<std::atomic<bool>> ended)
    : caf::blocking_actor(cfg), ended_(std::move(ended)) {
    // nop
  }

  void act() override {
    auto running = true;
    receive_while(running)([&](const caf::exit_msg&) { running = false; });
    *ended_ = true;
  }

private:
  std::shared_ptr<std::atomic<bool>> ended_;
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "an exit message reaches all workers and ends the pool") {
  auto before = running();
  client.send(pool,
              caf::exit_msg{client.handle().address(), exit_reason::kill});
  for (auto& w : ws) {
    REQUIRE(w.exits().size() == 1);
    CHECK(w.exits().front() == exit_reason::kill);
  }
  REQUIRE(ends.size() == 1);
  CHECK(ends.front() == exit_reason::kill);
  CHECK(running() == before - 1);
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
  SUBCASE("a second exit message has no effect") {
    client.send(pool, caf::exit_msg{client.handle().address(),
                                    exit_reason::user_shutdown});
    CHECK(ws[0].exits().size() == 1);
    CHECK(ends.size() == 1);
    CHECK(running() == before - 1);
  }
  SUBCASE("the ended pool accepts no new workers") {
    probe late{*this};
    CHECK(
      client.ask(pool, caf::sys_atom{}, caf::put_atom{}, late.handle()).error()
      == caf::sec::request_receiver_down);
    CHECK(actor_pool::stats(pool).workers == 0);
  }
}

TEST_CASE_FIXTURE(world,
                  "an exit message without a reason ends workers and pool") {
  client.send(pool, caf::exit_msg{client.handle().address(), {}});
  for (auto& w : ws) {
    REQUIRE(w.exits().size() == 1);
    CHECK(w.exits().front() == exit_reason::user_shutdown);
  }
  CHECK(ends.size() == 1);
}

TEST_CASE_FIXTURE(world, "a pool ends when its last worker terminates") {
  ws[0].die();
  ws[1].die(exit_reason::normal);
  CHECK(ends.empty());
  ws[2].die();
  REQUIRE(ends.size() == 1);
  CHECK(ends.front() == exit_reason::out_of_workers);
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
  CHECK(
    client.ask(pool, caf::sys_atom{}, caf::put_atom{}, probe{*this}.handle())
      .error()
    == caf::sec::request_receiver_down);
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
    hand_cranked w{seed};
    probe client{w};
    probe slow{w};
    auto none = w.running();
    auto pool = actor_pool::make(
      w.system(), 2,
      [&] { return w.system().spawn<go_between>(slow.handle()); },
      actor_pool::round_robin());
    std::vector<std::uint64_t> numbers;
    for (auto i = 0; i < 6; ++i)
      numbers.push_back(client.request(pool, i));
    pool = nullptr;
    w.run();
    REQUIRE(slow.received() == 6);
    CHECK(w.running() == none + 2); // they wait for answers
    for (std::size_t i = 0; i < 6; ++i)
      slow.answer(i, libpool::content_of(*slow->inbox[i]).get_as<int>(0) + 100);
    slow->inbox.clear();
    w.run();
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(client.answer_to(numbers[i]).get<int>()
            == static_cast<int>(i) + 100);
    client->inbox.clear();
    CHECK(w.running() == none);
  }
}

TEST_CASE("the blocking worker of a pool is stopped when the last handle of "
          "the pool is gone") {
  // A thread of its own; the actor system waits for its end.
  test::config config;
  caf::actor_system system{config};
  auto ended = std::make_shared<std::atomic<bool>>(false);
  {
    auto pool = actor_pool::make(
      system, 1, [&] { return system.spawn<waiter>(ended); },
      actor_pool::round_robin());
  }
  system.await_all_actors_done();
  CHECK(*ended);
}

TEST_CASE("workers handle the requests that they have received before they are "
          "stopped with the pool") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    hand_cranked w{seed};
    probe client{w};
    auto none = w.running();
    auto pool = actor_pool::make(
      w.system(), 4, [&w] { return w.system().spawn<doubler>(); },
      actor_pool::round_robin());
    CHECK(w.running() == none + 5);
    std::vector<std::uint64_t> numbers;
    for (auto i = 0; i < 40; ++i)
      numbers.push_back(client.request(pool, i));
    client.send(pool, caf::exit_msg{client.handle().address(),
                                    exit_reason::user_shutdown});
    w.run();
    CHECK(w.running() == none);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      CHECK(client.answer_to(numbers[i]).get<int>() == 2 * static_cast<int>(i));
    CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
  }
}

TEST_CASE("requests that a terminated worker has not handled fail, and other "
          "workers continue") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    hand_cranked w{seed};
    probe client{w};
    auto pool = actor_pool::make(
      w.system(), 2, [&w] { return w.system().spawn<mortal>(); },
      actor_pool::round_robin());
    auto deadly = client.request(pool, 0); // to the first worker
    std::vector<std::uint64_t> numbers;
    for (auto i = 1; i <= 20; ++i)
      numbers.push_back(client.request(pool, i));
    w.run();
    CHECK(client.answer_to(deadly).get<int>() == 0);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      auto answer = client.answer_to(numbers[i]);
      CHECK(answer.count == 1);
      if (i % 2 == 0) // to the second worker
        CHECK(answer.get<int>() == static_cast<int>(i) + 1);
      else
        CHECK(answer.error() == caf::sec::request_receiver_down);
    }
    CHECK(actor_pool::stats(pool).workers == 1);
    CHECK(client.ask(pool, 7).get<int>() == 7);
  }
}

TEST_CASE("a pool ends when an actor that is linked to the pool ends") {
  hand_cranked w;
  probe client{w};
  probe worker{w};
  auto pool = actor_pool::make(
    w.system(), 1, [&] { return worker.handle(); }, actor_pool::round_robin());
  client->link_to(pool);
  client.die(exit_reason::normal);
  CHECK(worker.exits().size() == 1);
}

TEST_CASE("making a pool with invalid arguments throws") {
  hand_cranked w;
  auto none = w.running();
  auto rr = actor_pool::round_robin();
  std::function<caf::actor()> no_factory;
  CHECK_THROWS_AS(actor_pool::make(w.system(), nullptr), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::make(w.system(), actor_pool::policy{}),
                  std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::make(w.system(), 1, no_factory, rr),
                  std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::make(
                    w.system(), 1, [] { return caf::actor{}; }, rr),
                  std::invalid_argument);
  CHECK(w.running() == none);
}

TEST_CASE("a factory that throws leaves no workers behind") {
  hand_cranked w;
  auto none = w.running();
  auto made = 0;
  auto factory = [&]() -> caf::actor {
    if (++made == 3)
      throw std::runtime_error{"no more"};
    return w.system().spawn<doubler>();
  };
  CHECK_THROWS_WITH(
    actor_pool::make(w.system(), 5, factory, actor_pool::round_robin()),
    "no more");
  w.run();
  CHECK(w.running() == none);
}

TEST_CASE("a pool does not add a worker that has terminated before the factory "
          "returns it") {
  hand_cranked w;
  auto ws = test::probes(w, 3);
  ws[0].die();
  SUBCASE("a terminated worker and two live ones") {
    auto pool = actor_pool::make(w.system(), 3, test::one_by_one(ws),
                                 actor_pool::round_robin());
    CHECK(actor_pool::stats(pool).workers == 2);
  }
  SUBCASE("terminated workers only, so that the pool is empty") {
    auto pool = actor_pool::make(
      w.system(), 1, [&] { return ws[0].handle(); }, actor_pool::round_robin());
    probe client{w};
    CHECK(client.ask(pool, 1).error() == errc::no_workers);
  }
}

TEST_CASE(
  "the error about a worker that a factory returned twice names the worker") {
  hand_cranked w;
  auto worker = w.system().spawn<test::doubler>();
  auto name = test::name_of(worker);
  auto make = [&](const actor_pool::policy& how) {
    auto pool = actor_pool::make(
      w.system(), 2, [&] { return worker; }, how);
  };
  auto said = [&](const std::string& by) {
    return "libpool: actor_pool::make: the factory returned " + by + " twice";
  };
  SUBCASE("by a direct pool") {
    CHECK_THROWS_WITH_AS(make(actor_pool::round_robin()), said(name).c_str(),
                         std::invalid_argument);
  }
  SUBCASE("by a managed pool") {
    CHECK_THROWS_WITH_AS(make(actor_pool::shared_queue()), said(name).c_str(),
                         std::invalid_argument);
  }
  worker = nullptr;
  w.run();
  CHECK(w.running() == 0);
}

TEST_CASE_FIXTURE(
  world, "workers get their exit messages from the pool, before it has ended") {
  std::vector<std::size_t> told;
  pool->attach_functor([&](const caf::error&) {
    for (auto& w : ws)
      told.push_back(w.exits().size());
  });
  client.send(pool,
              caf::exit_msg{client.handle().address(), exit_reason::kill});
  CHECK(told == std::vector<std::size_t>{1, 1, 1});
  REQUIRE(ws[0].received() == 1);
  auto& exit = libpool::content_of(*ws[0]->inbox[0]).get_as<caf::exit_msg>(0);
  CHECK(exit.source == pool.address());
}

TEST_CASE_FIXTURE(world,
                  "a pool that has ended refuses new workers and requests") {
  client.send(pool,
              caf::exit_msg{client.handle().address(), exit_reason::kill});
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{});
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{}, ws[0].handle());
  CHECK(
    client.ask(pool, caf::sys_atom{}, caf::put_atom{}, ws[0].handle()).error()
    == caf::sec::request_receiver_down);
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
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

TEST_CASE("workers that a factory made before it failed are stopped") {
  hand_cranked w;
  auto ws = test::probes(w, 2);
  auto factory = [&, i = std::size_t{0}]() mutable -> caf::actor {
    if (i == 2)
      throw std::runtime_error{"no more"};
    return ws[i++].handle();
  };
  CHECK_THROWS_AS(
    actor_pool::make(w.system(), 3, factory, actor_pool::round_robin()),
    std::runtime_error);
  for (auto& worker : ws)
    CHECK(worker.exits().size() == 1);
}

TEST_CASE(
  "a worker that terminates while the next is made does not end the pool") {
  hand_cranked w;
  auto ws = test::probes(w, 2);
  auto factory = [&, i = std::size_t{0}]() mutable {
    if (i == 1)
      ws[0].die();
    return ws[i++].handle();
  };
  auto pool = actor_pool::make(w.system(), 2, factory,
                               actor_pool::round_robin());
  CHECK(actor_pool::stats(pool).workers == 1);
  probe{w}.send(pool, 1);
  CHECK(ws[1].received() == 1);
}

TEST_CASE("a worker that is unlinked from its pool is still monitored") {
  hand_cranked w;
  probe client{w};
  auto ws = test::probes(w, 2);
  auto pool = actor_pool::make(w.system(), actor_pool::round_robin());
  for (auto& worker : ws) {
    worker->link_to(pool);
    client.send(pool, caf::sys_atom{}, caf::put_atom{}, worker.handle());
    worker->unlink_from(pool);
  }
  ws[1].die();
  CHECK(actor_pool::stats(pool).workers == 1);
}

} // namespace lifetime_tests
