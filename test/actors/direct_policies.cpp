#include "libpool/pool.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace direct_policies_tests {

using libpool::actor_pool;
using test::doubler;
using test::hand_cranked;
using test::probe;
using counts = std::vector<std::size_t>;

namespace {

struct world : hand_cranked {
  probe client{*this};

  caf::actor pool_of(const std::vector<probe>& ws, actor_pool::policy how) {
    return actor_pool::make(system(), ws.size(), test::one_by_one(ws),
                            std::move(how));
  }
};

/// A client as CAF makes them; keeps all answers to one request.
class asker final : public caf::event_based_actor {
public:
  asker(caf::actor_config& cfg, caf::actor pool,
        std::shared_ptr<std::vector<int>> answers)
    : caf::event_based_actor(cfg),
      pool_(std::move(pool)),
      answers_(std::move(answers)) {
    // nop
  }

  caf::behavior make_behavior() override {
    request(pool_, caf::infinite, 21).then([this](int x) {
      answers_->push_back(x);
    });
    return {};
  }

private:
  caf::actor pool_;
  std::shared_ptr<std::vector<int>> answers_;
};

/// The worker that got each of the numbers 0, 1, … that were sent.
std::vector<std::size_t> order(const std::vector<probe>& ws, std::size_t n) {
  std::vector<std::size_t> result(n, ws.size());
  for (std::size_t w = 0; w < ws.size(); ++w)
    for (auto& element : ws[w]->inbox)
      result.at(static_cast<std::size_t>(
        libpool::content_of(*element).get_as<int>(0))) = w;
  return result;
}

} // namespace

// -- round robin --------------------------------------------------------------

TEST_CASE_FIXTURE(world, "round_robin continues its sequence of workers across "
                         "messages of different senders") {
  auto ws = test::probes(*this, 3);
  probe other{*this};
  auto pool = pool_of(ws, actor_pool::round_robin());
  for (auto i = 0; i < 8; ++i)
    (i % 2 == 0 ? client : other).send(pool, i);
  CHECK(order(ws, 8) == counts{0, 1, 2, 0, 1, 2, 0, 1});
}

TEST_CASE_FIXTURE(world,
                  "round_robin skips no worker when another worker leaves") {
  // With every number of messages sent before and every worker leaving, each
  // way of leaving: the rest go on in the order in which they stood.
  for (std::size_t sent = 0; sent < 9; ++sent)
    for (std::size_t gone = 0; gone < 4; ++gone)
      for (auto dies : {true, false}) {
        CAPTURE(sent);
        CAPTURE(gone);
        CAPTURE(dies);
        auto ws = test::probes(*this, 4);
        auto pool = pool_of(ws, actor_pool::round_robin());
        for (std::size_t i = 0; i < sent; ++i)
          client.send(pool, 0);
        if (dies)
          ws[gone].die();
        else
          client.send(pool, caf::sys_atom{}, caf::delete_atom{},
                      ws[gone].handle());
        for (auto& w : ws)
          w->inbox.clear();
        std::vector<std::size_t> expected;
        for (auto i = sent % 4; expected.size() < 6; i = (i + 1) % 4)
          if (i != gone)
            expected.push_back(i);
        for (auto i = 0; i < 6; ++i)
          client.send(pool, i);
        CHECK(order(ws, 6) == expected);
      }
}

TEST_CASE_FIXTURE(world, "a worker that joins a round_robin pool gets its "
                         "first turn after all others") {
  auto ws = test::probes(*this, 3);
  auto pool = pool_of({ws[0], ws[1]}, actor_pool::round_robin());
  client.send(pool, 0);
  client.send(pool, caf::sys_atom{}, caf::put_atom{}, ws[2].handle());
  for (auto i = 1; i < 6; ++i)
    client.send(pool, i);
  CHECK(order(ws, 6) == counts{0, 1, 2, 0, 1, 2});
}

TEST_CASE_FIXTURE(
  world, "pools that are made of one policy object take turns independently") {
  auto how = actor_pool::round_robin();
  auto ws = test::probes(*this, 2);
  auto first = pool_of(ws, how);
  auto second = pool_of(ws, how);
  client.send(first, 0);
  client.send(second, 1);
  CHECK(order(ws, 2) == counts{0, 0});
}

// -- random -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "random chooses all workers equally often") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    constexpr std::size_t n = 7;
    constexpr auto draws = 100'000;
    auto ws = test::probes(*this, n);
    std::vector<std::size_t> hits(n);
    for (std::size_t i = 0; i < n; ++i)
      ws[i]->on_enqueue = [&hits, i](caf::mailbox_element&) { ++hits[i]; };
    auto pool = pool_of(ws, actor_pool::random(seed));
    for (auto i = 0; i < draws; ++i)
      client.send(pool, i);
    REQUIRE(std::accumulate(hits.begin(), hits.end(), std::size_t{0}) == draws);
    constexpr auto expected = static_cast<double>(draws) / n;
    auto chi_squared = 0.0;
    for (auto h : hits)
      chi_squared += std::pow(static_cast<double>(h) - expected, 2) / expected;
    // 6 degrees of freedom: 22.5 is exceeded once in a thousand. The seeds are
    // fixed, so this passes always or never.
    CHECK(chi_squared < 22.5);
  }
}

TEST_CASE_FIXTURE(
  world, "equal seeds make equal draws, and different seeds different ones") {
  auto trace = [this](std::uint64_t seed) {
    auto ws = test::probes(*this, 5);
    auto pool = pool_of(ws, actor_pool::random(seed));
    for (auto i = 0; i < 100; ++i)
      client.send(pool, i);
    return order(ws, 100);
  };
  CHECK(trace(7) == trace(7));
  CHECK(trace(7) != trace(8));
}

TEST_CASE_FIXTURE(
  world, "random policies without a seed draw different workers in each pool") {
  auto trace = [this] {
    auto ws = test::probes(*this, 100);
    auto pool = pool_of(ws, actor_pool::random());
    for (auto i = 0; i < 30; ++i)
      client.send(pool, i);
    return order(ws, 30);
  };
  CHECK(trace() != trace());
}

// -- broadcast ----------------------------------------------------------------

TEST_CASE_FIXTURE(
  world, "broadcast delivers to every worker, and keeps sender and id") {
  auto ws = test::probes(*this, 4);
  auto pool = pool_of(ws, actor_pool::broadcast());
  auto number = client.request(pool, 1, std::string{"two"});
  for (auto& w : ws) {
    REQUIRE(w.received() == 1);
    auto& element = *w->inbox[0];
    CHECK(element.sender == client.pointer());
    CHECK(element.mid.integer_value()
          == caf::make_message_id(number).integer_value());
    REQUIRE(libpool::content_of(element).match_elements<int, std::string>());
    CHECK(libpool::content_of(element).get_as<std::string>(1) == "two");
  }
}

TEST_CASE(
  "a client of broadcast gets a single answer even if all workers answer") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    hand_cranked w{seed};
    auto pool = actor_pool::make(
      w.system(), 4, [&w] { return w.system().spawn<doubler>(); },
      actor_pool::broadcast());
    auto answers = std::make_shared<std::vector<int>>();
    w.system().spawn<asker>(pool, answers);
    w.run();
    CHECK(*answers == std::vector<int>{42});
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    w.run();
  }
}

TEST_CASE("a broadcast request is answered with the first answer of a worker, "
          "even if that answer is an error") {
  hand_cranked w;
  probe client{w};
  auto ws = test::probes(w, 2);
  auto pool = actor_pool::make(w.system(), 2, test::one_by_one(ws),
                               actor_pool::broadcast());
  auto number = client.request(pool, 1);
  ws[1].answer(0, caf::make_error(caf::sec::runtime_error));
  ws[0].answer(0, 2);
  CHECK(client.answer_to(number).error() == caf::sec::runtime_error);
}

// -- common to all policies ---------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "a worker of round_robin or random gets the mailbox element that was sent") {
  for (auto& how : {actor_pool::round_robin(), actor_pool::random(1)}) {
    probe worker{*this};
    auto pool = pool_of({worker}, how);
    auto element = libpool::make_element(client.pointer(),
                                         caf::make_message_id(9), 5);
    auto* sent = element.get();
    caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(std::move(element),
                                                         nullptr);
    REQUIRE(worker.received() == 1);
    CHECK(worker->inbox[0].get() == sent);
  }
}

TEST_CASE_FIXTURE(world, "broadcast keeps the priority of a message") {
  auto ws = test::probes(*this, 2);
  auto pool = pool_of(ws, actor_pool::broadcast());
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(client.pointer(),
                          caf::make_message_id<caf::message_priority::high>(9),
                          5),
    nullptr);
  for (auto& w : ws) {
    REQUIRE(w.received() == 1);
    CHECK(w->inbox[0]->is_high_priority());
  }
}

} // namespace direct_policies_tests
