/// Work of other programs.

#include "nats_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace nats_submitting_tests {

using libpool::errc;
using test::comes_true;
using test::nats_world;
using test::patience;

TEST_CASE_FIXTURE(nats_world, "messages of another program are handled, and "
                              "errors of handlers and crashes of workers "
                              "answer its requests") {
  std::atomic<int> sum{0};
  auto handle = [&sum](int x) -> caf::result<int> {
    if (x < 0)
      throw std::runtime_error{"crash"};
    sum += x;
    if (x == 0)
      return caf::sec::bad_function_call;
    return x;
  };
  serve_local([handle]() -> caf::behavior { return {handle}; }, 2);
  connect();
  for (auto i = 1; i <= 100; ++i)
    caf::anon_send(remote, i);
  CHECK(comes_true([&] { return sum == 5050; }));
  CHECK(refusal_of(0) == caf::sec::bad_function_call);
  CHECK(comes_true([&] { return tasks_of(remote).completed == 101; }));
  CHECK(refusal_of(-1) == errc::worker_crashed);
}

// -- the pool is lost ---------------------------------------------------------

TEST_CASE_FIXTURE(nats_world, "requests to a pool that ends are answered once, "
                              "with an error") {
  with.lease = std::chrono::seconds{2};
  serve_local(test::never_answering);
  connect();
  auto requests = request_all(remote, 1, 5);
  CHECK(comes_true([&] { return tasks_of(pool).accepted == 5; }));
  end(pool);
  auto errors = 0;
  for (auto& each : requests)
    each.receive([](int) { FAIL("an answer"); },
                 [&](caf::error&) { ++errors; });
  CHECK(errors == 5);
}

TEST_CASE_FIXTURE(nats_world,
                  "requests are answered with front_lost within a "
                  "lease if the server is lost, and later ones with "
                  "not_connected") {
  with.lease = std::chrono::seconds{2};
  with.patience = std::chrono::milliseconds{500};
  serve_local(test::never_answering);
  connect();
  auto is_connected = [&] { return !libpool::nodes_of(remote).nodes.empty(); };
  CHECK(comes_true(is_connected));
  caf::error first;
  auto request = asker()->request(remote, patience, 1);
  CHECK(comes_true([&] { return tasks_of(pool).accepted == 1; }));
  server.kill();
  request.receive([](int) { FAIL("an answer"); },
                  [&](caf::error& why) { first = why; });
  CHECK(first == errc::front_lost);
  CHECK(refusal_of(2) == errc::not_connected);
  server.start();
  CHECK(comes_true(is_connected));
}

// -- sizes --------------------------------------------------------------------

TEST_CASE("messages and answers that are too large for the server fail with "
          "too_large") {
  nats_world world{std::size_t{64} << 10U};
  SUBCASE("with retries") {
    world.with.queue.on_crash = libpool::retry{3};
  }
  SUBCASE("without retries") {
    // as it is
  }
  world.begin();
  REQUIRE(world.ask(7) == 49);
  CHECK(world.refusal_of(std::string(100'000, 'x')) == errc::too_large);
  CHECK(world.refusal_of(1, std::size_t{100'000}) == errc::too_large);
  CHECK(world.ask(std::string(60'000, 'x')) == 60'000);
  CHECK(world.ask<std::string>(1, std::size_t{60'000}).size() == 60'000);
  CHECK(comes_true([&] {
    auto tasks = nats_world::tasks_of(world.remote);
    return tasks.failed == 1 && tasks.completed == 4;
  }));
  caf::scoped_actor self{world.front->system}; // asks without the client
  self->request(world.pool, patience, 1, std::size_t{100'000})
    .receive([](caf::message&) { FAIL("an answer"); },
             [](caf::error& why) { CHECK(why == errc::too_large); });
  self->request(world.pool, patience, std::string(100'000, 'x'))
    .receive([](caf::message&) { FAIL("an answer"); },
             [](caf::error& why) { CHECK(why == errc::too_large); });
  CHECK(libpool::actor_pool::stats(world.remote).departed.crashed == 0);
  CHECK(libpool::nodes_of(world.pool).nodes.size() == 1);
}

// -- several clients ----------------------------------------------------------

TEST_CASE_FIXTURE(nats_world,
                  "fair queuing treats each client as a flow of its own") {
  std::atomic<bool> goes_on{false};
  std::vector<int> order; // of the only worker
  pool = libpool::actor_pool::make(
    front->system, 1,
    [&] {
      return front->system.spawn([&]() -> caf::behavior {
        return {[&](int x) {
          comes_true([&] { return goes_on.load(); });
          order.push_back(x);
          return x;
        }};
      });
    },
    libpool::actor_pool::fair_queuing());
  libpool::serve(pool, where);
  with.name = "flooding";
  connect();
  auto flooding = remote;
  constexpr auto many = 200;
  auto open = [&] { return tasks_of(pool).open(); };
  auto requests = request_all(flooding, 1, many);
  CHECK(comes_true([&] { return open() == many; }));
  with.name = "modest";
  connect();
  auto last = request_all(remote, -1, -1);
  CHECK(comes_true([&] { return open() == many + 1; }));
  goes_on = true;
  for (auto* all : {&last, &requests})
    for (auto& each : *all)
      each.receive([](int) {},
                   [](caf::error& why) { FAIL(caf::to_string(why)); });
  CHECK(order.size() == many + 1);
  auto place = std::find(order.begin(), order.end(), -1) - order.begin();
  CHECK(place < 20);
  end(flooding);
}

TEST_CASE_FIXTURE(
  nats_world, "a client has at most messages_of_client messages in the pool") {
  libpool::serve_options options;
  options.messages_of_client = 3;
  serve(options); // without nodes
  connect();
  for (auto i = 0; i < 20; ++i)
    caf::anon_send(remote, i);
  CHECK(comes_true([&] { return tasks_of(pool).waiting == 3; }));
  join();
  CHECK(comes_true([&] { return tasks_of(pool).completed == 20; }));
}

TEST_CASE_FIXTURE(nats_world, "requests are answered even if the client has "
                              "dropped its handle of the pool") {
  serve();
  connect();
  auto requests = request_all(remote, 1, 10);
  remote = nullptr;
  join();
  auto sum = 0;
  for (auto& each : requests)
    each.receive([&](int square) { sum += square; },
                 [](caf::error& why) { FAIL(caf::to_string(why)); });
  CHECK(sum == 385);
}

TEST_CASE_FIXTURE(
  nats_world,
  "a pool answers many clients that connect and end one after the other") {
  begin();
  REQUIRE(ask(1) == 1);
  for (auto i = 2; i <= 20; ++i) {
    test::program other;
    caf::scoped_actor self{other.system};
    auto mine = libpool::connect(other.system, where, with);
    self->request(mine, patience, i)
      .receive(
        [&](int square) { CHECK(square == i * i); },
        [&](caf::error& why) { FAIL(libpool::render(why, other.system)); });
  }
  CHECK(ask(21) == 441);
}

} // namespace nats_submitting_tests
