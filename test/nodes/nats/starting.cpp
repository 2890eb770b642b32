/// Options, addresses, and the order in which programs start.

#include "nats_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nats_starting_tests {

using libpool::errc;
using test::comes_true;
using test::nats_world;

namespace {

/// Whether the options are refused with an error that begins with these words.
template <class Options>
bool is_refused(const Options& options, const std::string& start) {
  try {
    check(options);
  } catch (const std::invalid_argument& why) {
    return std::string{why.what()}.rfind("libpool: " + start, 0) == 0;
  }
  return false;
}

/// Options for a server that refuses connections.
libpool::nats_options nobody() {
  libpool::nats_options result;
  result.servers = {"nats://127.0.0.1:1"};
  result.insecure_loopback = true;
  return result;
}

} // namespace

// -- options ------------------------------------------------------------------

TEST_CASE("the error about a wrong NATS option names the option") {
  CHECK_NOTHROW(check(nobody()));
  auto options = nobody();
  options.servers.clear();
  CHECK(is_refused(options, "nats_options: servers "));
  for (const auto* each : {"", "a.b", "*", ">", "a b"}) {
    options = nobody();
    options.prefix = each;
    CHECK(is_refused(options, "nats_options: prefix "));
  }
  for (const auto* each : {"nats://10.0.0.1:4222", "nats://example.org",
                           "nats://127.example.org:4222", "", "what is this"}) {
    options = nobody();
    options.servers = {"nats://127.0.0.1:4222", each};
    CHECK(is_refused(options, "nats_options: insecure_loopback "));
  }
  options = nobody();
  options.insecure_loopback = false;
  CHECK(is_refused(options, "nats_options: ca "));
  options.ca = "/nothing";
  CHECK(is_refused(options, "nats_options: ca '/nothing' cannot be read"));
  options.ca = "/dev/null";
  CHECK(is_refused(options, "nats_options: certificate "));
  options.certificate = "/dev/null";
  CHECK(is_refused(options, "nats_options: key "));
}

TEST_CASE("the error about a wrong option of a client, a served pool or an "
          "address names the option") {
  CHECK(is_refused(libpool::pool_address{"", nobody()},
                   "pool_address: the name of the pool "));
  libpool::serve_options serves;
  serves.messages_of_client = 0;
  CHECK(is_refused(serves, "serve_options: messages_of_client "));
  serves = {};
  serves.credit = 1;
  CHECK(is_refused(serves, "serve_options: credit "));
  auto refused = [](auto change, const std::string& start) {
    libpool::connect_options wrong;
    change(wrong);
    return is_refused(wrong, "connect_options: " + start);
  };
  using std::chrono::seconds;
  CHECK(refused([](auto& x) { x.lease = seconds{0}; }, "lease "));
  CHECK(refused([](auto& x) { x.patience = seconds{-1}; }, "patience "));
  CHECK(refused([](auto& x) { x.most_in_flight = 0; }, "most_in_flight "));
  CHECK(refused([](auto& x) { x.credit = 1; }, "credit "));
}

TEST_CASE("certificates that cannot be used are reported at once") {
  test::program one;
  libpool::nats_options by;
  by.servers = {"tls://127.0.0.1:1"};
  by.ca = by.certificate = by.key = "/dev/null";
  CHECK_THROWS_AS(libpool::connect(one.system, {"squares", by}),
                  std::runtime_error);
  auto pool = libpool::spawn_pool(
    one.system, 1, [&] { return one.system.spawn(test::squaring); });
  CHECK_THROWS_AS(libpool::serve(pool, {"squares", by}), std::runtime_error);
  auto agent = libpool::join_pool(one.system, {"squares", by}, {}, [&] {
    return one.system.spawn(test::squaring);
  });
  caf::scoped_actor self{one.system};
  self->monitor(agent);
  self->receive([](const caf::down_msg& down) {
    CHECK(down.reason == errc::not_connected);
  });
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

// -- addresses ----------------------------------------------------------------

TEST_CASE("requests of a client without a server fail with not_connected after "
          "its patience") {
  test::program one;
  libpool::connect_options with;
  with.patience = std::chrono::milliseconds{100};
  auto pool = libpool::connect(one.system, {"squares", nobody()}, with);
  caf::scoped_actor self{one.system};
  for (auto i = 0; i < 3; ++i)
    self->request(pool, test::patience, i)
      .receive([](int) { FAIL("an answer"); },
               [](caf::error& why) { CHECK(why == errc::not_connected); });
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

TEST_CASE("a node without a server states not_connected as its trouble, and "
          "can leave") {
  test::program one;
  auto agent = libpool::join_pool(one.system, {"squares", nobody()}, {}, [&] {
    return one.system.spawn(test::squaring);
  });
  CHECK(comes_true([&] {
    return libpool::agent_stats(agent).trouble == errc::not_connected;
  }));
  caf::scoped_actor self{one.system};
  self->request(agent, test::patience, caf::sys_atom{}, libpool::drain_atom{})
    .receive([] {},
             [&](caf::error& why) { FAIL(libpool::render(why, one.system)); });
}

TEST_CASE("a program works if it can reach one of several servers") {
  nats_world world;
  world.where.by.servers = {"nats://127.0.0.1:1", world.server.url()};
  world.begin();
  CHECK(world.ask(7) == 49);
}

// -- order --------------------------------------------------------------------

TEST_CASE("programs can start in any order") {
  std::array<int, 3> order{0, 1, 2};
  do {
    CAPTURE(order);
    nats_world world;
    for (auto each : order)
      if (each == 0)
        world.serve();
      else if (each == 1)
        world.join();
      else
        world.connect();
    CHECK(world.ask(7) == 49);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE_FIXTURE(nats_world, "the server can start last") {
  server.kill();
  begin();
  server.start();
  CHECK(ask(7) == 49);
}

TEST_CASE_FIXTURE(
  nats_world, "a message that waits for its pool to be served is answered") {
  connect();
  auto request = asker()->request(remote, test::patience, 5);
  CHECK(comes_true([&] { return tasks_of(remote).waiting == 1; }));
  join();
  serve();
  request.receive([](int square) { CHECK(square == 25); },
                  [](caf::error& why) { FAIL(caf::to_string(why)); });
}

TEST_CASE_FIXTURE(nats_world,
                  "the pool, its node and its client can be in one program") {
  pool = libpool::actor_pool::make(client->system,
                                   libpool::actor_pool::distributed(nodes));
  libpool::serve(pool, where);
  agent = libpool::join_pool(client->system, where, {}, [this] {
    return client->system.spawn(test::squaring);
  });
  connect();
  for (auto i = 1; i <= 100; ++i)
    REQUIRE(ask(i) == i * i);
}

} // namespace nats_starting_tests
