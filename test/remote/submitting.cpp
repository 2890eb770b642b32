/// Work of other programs.

#include "support/nats_world.hpp"

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

TEST_CASE_FIXTURE(nats_world, "requests of another program are answered") {
  begin();
  for (auto i = 1; i <= 100; ++i)
    REQUIRE(ask(i) == i * i);
  CHECK(comes_true(
    [&] { return libpool::actor_pool::stats(pool).tasks.completed == 100; }));
  CHECK(comes_true(
    [&] { return libpool::actor_pool::stats(remote).tasks.completed == 100; }));
}

TEST_CASE_FIXTURE(nats_world,
                  "an error of a handler is the answer to the client") {
  auto local = libpool::spawn_pool(front.system, 1, [this] {
    return front.system.spawn([]() -> caf::behavior {
      return {
        [](int) -> caf::result<int> { return caf::sec::bad_function_call; }};
    });
  });
  libpool::serve(local, where);
  connect();
  CHECK(refusal_of(7) == caf::sec::bad_function_call);
  CHECK(comes_true(
    [&] { return libpool::actor_pool::stats(remote).tasks.completed == 1; }));
  caf::anon_send_exit(local, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(
  nats_world,
  "a request whose worker crashes is answered with worker_crashed") {
  auto local = libpool::spawn_pool(front.system, 1, [this] {
    return front.system.spawn([]() -> caf::behavior {
      return {[](int) -> int { throw std::runtime_error{"crash"}; }};
    });
  });
  libpool::serve(local, where);
  connect();
  auto why = refusal_of(7);
  CHECK(why == errc::worker_crashed);
  caf::anon_send_exit(local, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(nats_world,
                  "asynchronous messages of another program are handled") {
  std::atomic<int> sum{0};
  auto local = libpool::spawn_pool(front.system, 2, [&] {
    return front.system.spawn(
      [&sum]() -> caf::behavior { return {[&sum](int x) { sum += x; }}; });
  });
  libpool::serve(local, where);
  connect();
  for (auto i = 1; i <= 100; ++i)
    caf::anon_send(remote, i);
  CHECK(comes_true([&] { return sum == 5050; }));
  caf::anon_send_exit(local, caf::exit_reason::user_shutdown);
}

// -- the pool is lost ---------------------------------------------------------

TEST_CASE_FIXTURE(nats_world, "requests to a pool that ends are answered once, "
                              "with an error") {
  with.lease = std::chrono::seconds{2};
  auto local = libpool::spawn_pool(front.system, 1, [this] {
    return front.system.spawn(test::never_answering);
  });
  libpool::serve(local, where);
  connect();
  auto requests = request_all(remote, 1, 5);
  CHECK(comes_true(
    [&] { return libpool::actor_pool::stats(local).tasks.accepted == 5; }));
  caf::anon_send_exit(local, caf::exit_reason::user_shutdown);
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
  auto local = libpool::spawn_pool(front.system, 1, [this] {
    return front.system.spawn(test::never_answering);
  });
  libpool::serve(local, where);
  connect();
  auto is_connected = [&] { return !libpool::nodes_of(remote).nodes.empty(); };
  CHECK(comes_true(is_connected));
  caf::error first;
  auto request = asker->request(remote, patience, 1);
  CHECK(comes_true(
    [&] { return libpool::actor_pool::stats(local).tasks.accepted == 1; }));
  server.kill();
  request.receive([](int) { FAIL("an answer"); },
                  [&](caf::error& why) { first = why; });
  CHECK(first == errc::front_lost);
  CHECK(refusal_of(2) == errc::not_connected);
  server.start();
  CHECK(comes_true(is_connected));
  caf::anon_send_exit(local, caf::exit_reason::user_shutdown);
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
    auto tasks = libpool::actor_pool::stats(world.remote).tasks;
    return tasks.failed == 1 && tasks.completed == 4;
  }));
  CHECK(libpool::actor_pool::stats(world.remote).departed.crashed == 0);
  CHECK(libpool::nodes_of(world.pool).nodes.size() == 1);
}

TEST_CASE("an answer that is too large for the server of its node fails with "
          "too_large") {
  nats_world world{std::size_t{64} << 10U};
  world.serve();
  world.join();
  caf::scoped_actor self{world.front.system};
  self->request(world.pool, patience, 1, std::size_t{100'000})
    .receive([](caf::message&) { FAIL("an answer"); },
             [](caf::error& why) { CHECK(why == errc::too_large); });
  self->request(world.pool, patience, std::string(100'000, 'x'))
    .receive([](caf::message&) { FAIL("an answer"); },
             [](caf::error& why) { CHECK(why == errc::too_large); });
}

// -- several clients ----------------------------------------------------------

TEST_CASE_FIXTURE(nats_world,
                  "fair queuing treats each client as a flow of its own") {
  std::atomic<bool> goes_on{false};
  std::vector<int> order; // of the only worker
  auto local = libpool::actor_pool::make(
    front.system, 1,
    [&] {
      return front.system.spawn([&]() -> caf::behavior {
        return {[&](int x) {
          comes_true([&] { return goes_on.load(); });
          order.push_back(x);
          return x;
        }};
      });
    },
    libpool::actor_pool::fair_queuing());
  libpool::serve(local, where);
  with.name = "flooding";
  connect();
  auto flooding = remote;
  constexpr auto many = 200;
  auto open = [&] { return libpool::actor_pool::stats(local).tasks.open(); };
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
  caf::anon_send_exit(flooding, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(local, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(
  nats_world, "a client has at most messages_of_client messages in the pool") {
  libpool::serve_options options;
  options.messages_of_client = 3;
  serve(options); // without nodes
  connect();
  for (auto i = 0; i < 20; ++i)
    caf::anon_send(remote, i);
  CHECK(comes_true(
    [&] { return libpool::actor_pool::stats(pool).tasks.waiting == 3; }));
  join();
  CHECK(comes_true(
    [&] { return libpool::actor_pool::stats(pool).tasks.completed == 20; }));
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
