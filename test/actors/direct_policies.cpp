#include "support/chi_squared.hpp"
#include "support/direct_world.hpp"

#include <numeric>

namespace direct_policies_tests {

using libpool::actor_pool;
using test::probe;
using counts = std::vector<std::size_t>;
using world = test::direct_world;

namespace {

/// The worker that got each of the numbers 0, 1, … that were sent.
counts order(const std::vector<probe>& ws, std::size_t n) {
  counts result(n, ws.size());
  for (std::size_t w = 0; w < ws.size(); ++w)
    for (auto x : test::numbers_of(ws[w]))
      result.at(static_cast<std::size_t>(x)) = w;
  return result;
}

/// The workers that a policy chooses for n messages.
counts chosen(world& w, const libpool::policy& how, std::size_t workers,
              int n) {
  auto ws = test::probes(w, workers);
  auto pool = w.pool_of(ws, how);
  for (auto i = 0; i < n; ++i)
    w.client.send(pool, i);
  return order(ws, static_cast<std::size_t>(n));
}

} // namespace

// -- round robin --------------------------------------------------------------

TEST_CASE_FIXTURE(world, "round_robin continues its sequence of workers across "
                         "messages of different senders") {
  probe other{*this};
  auto pool = pool_with(actor_pool::round_robin());
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
        auto four = test::probes(*this, 4);
        auto pool = pool_of(four, actor_pool::round_robin());
        for (std::size_t i = 0; i < sent; ++i)
          client.send(pool, 0);
        if (dies)
          four[gone].die();
        else
          client.remove(pool, four[gone].handle());
        for (auto& w : four)
          w->inbox.clear();
        counts expected;
        for (auto i = sent % 4; expected.size() < 6; i = (i + 1) % 4)
          if (i != gone)
            expected.push_back(i);
        for (auto i = 0; i < 6; ++i)
          client.send(pool, i);
        CHECK(order(four, 6) == expected);
      }
}

TEST_CASE_FIXTURE(world, "a worker that joins a round_robin pool gets its "
                         "first turn after all others") {
  auto pool = pool_of({ws[0], ws[1]}, actor_pool::round_robin());
  client.send(pool, 0);
  client.put(pool, ws[2].handle());
  for (auto i = 1; i < 6; ++i)
    client.send(pool, i);
  CHECK(order(ws, 6) == counts{0, 1, 2, 0, 1, 2});
}

TEST_CASE_FIXTURE(
  world, "pools that are made of one policy object take turns independently") {
  auto how = actor_pool::round_robin();
  auto first = pool_with(how);
  auto second = pool_with(how);
  client.send(first, 0);
  client.send(second, 1);
  CHECK(order(ws, 2) == counts{0, 0});
}

// -- random -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "random chooses all workers equally often") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    std::vector<double> hits(7);
    auto seven = test::probes(*this, hits.size());
    for (std::size_t i = 0; i < hits.size(); ++i)
      seven[i]->on_enqueue = [&hits, i](caf::mailbox_element&) { ++hits[i]; };
    auto pool = pool_of(seven, actor_pool::random(seed));
    for (auto i = 0; i < 100'000; ++i)
      client.send(pool, i);
    // 6 degrees of freedom: 22.5 is exceeded once in a thousand. The seeds are
    // fixed, so this passes always or never.
    CHECK(test::chi_squared(hits) < 22.5);
    CHECK(std::accumulate(hits.begin(), hits.end(), 0.0) == 100'000);
  }
}

TEST_CASE_FIXTURE(
  world, "equal seeds make equal draws, and different seeds, or none, make "
         "different ones") {
  auto draws = [this](std::uint64_t seed) {
    return chosen(*this, actor_pool::random(seed), 5, 100);
  };
  CHECK(draws(7) == draws(7));
  CHECK(draws(7) != draws(8));
  CHECK(chosen(*this, actor_pool::random(), 100, 30)
        != chosen(*this, actor_pool::random(), 100, 30));
}

// -- broadcast ----------------------------------------------------------------

TEST_CASE_FIXTURE(world, "broadcast delivers to every worker, and keeps "
                         "sender, id and priority") {
  auto pool = pool_with(actor_pool::broadcast());
  auto urgent = caf::make_message_id<caf::message_priority::high>(9);
  client.send_as(urgent, pool, 1, std::string{"two"});
  client.send_as(caf::make_message_id(10), pool, 3);
  for (auto& w : ws) {
    REQUIRE(w.received() == 2);
    auto& element = *w->inbox[0];
    CHECK(element.sender == client.pointer());
    CHECK(element.mid == urgent);
    REQUIRE(libpool::content_of(element).match_elements<int, std::string>());
    CHECK(libpool::content_of(element).get_as<std::string>(1) == "two");
    CHECK(w->inbox[1]->mid == caf::make_message_id(10));
  }
}

TEST_CASE(
  "a client of broadcast gets a single answer even if all workers answer") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    world w{seed};
    auto pool = actor_pool::make(
      w.system(), 4, [&w] { return w.system().spawn<test::doubler>(); },
      actor_pool::broadcast());
    std::vector<int> answers;
    // A client as CAF makes them.
    w.system().spawn([&](caf::event_based_actor* self) {
      self->request(pool, caf::infinite, 21).then([&](int x) {
        answers.push_back(x);
      });
    });
    w.run();
    CHECK(answers == std::vector<int>{42});
    w.stop(pool);
  }
}

TEST_CASE_FIXTURE(world, "a broadcast request is answered with the first "
                         "answer of a worker, even if that answer is an "
                         "error") {
  auto pool = pool_with(actor_pool::broadcast());
  auto number = client.request(pool, 1);
  ws[1].answer(0, caf::make_error(caf::sec::runtime_error));
  ws[0].answer(0, 2);
  CHECK(client.answer_to(number).error() == caf::sec::runtime_error);
}

// -- common to several policies -----------------------------------------------

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

} // namespace direct_policies_tests
