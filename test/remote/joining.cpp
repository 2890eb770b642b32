/// Nodes that join a pool through a NATS server, and how programs end.

#include "support/nats_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nats_joining_tests {

using libpool::errc;
using test::comes_true;
using test::nats_world;
using test::patience;

namespace {

/// Names that cannot be used as tokens of a subject without a change.
const std::vector<std::string>& strange_names() {
  static const std::vector<std::string> names{"a.b",
                                              "*",
                                              ">",
                                              " a\tb\r\n",
                                              "_",
                                              "_2e",
                                              "\xc3\xbc",
                                              "\xff\xfe",
                                              "$SYS",
                                              std::string(200, 'x'),
                                              std::string(1, '\0')};
  return names;
}

} // namespace

TEST_CASE_FIXTURE(nats_world, "a node joins a pool and answers its requests") {
  begin();
  for (auto i = 1; i <= 100; ++i)
    REQUIRE(ask(i) == i * i);
  CHECK(ask(std::string(500'000, 'x')) == 500'000);
  auto known = libpool::nodes_of(pool);
  REQUIRE(known.nodes.size() == 1);
  CHECK(known.nodes[0].name == "node");
  CHECK(known.nodes[0].slots == 2);
  CHECK(known.strays == 0);
}

TEST_CASE_FIXTURE(nats_world, "a node that is told to leave informs its pool") {
  begin();
  REQUIRE(ask(3) == 9);
  caf::scoped_actor self{node.system};
  self->request(agent, patience, caf::sys_atom{}, libpool::drain_atom{})
    .receive([] {},
             [&](caf::error& why) { FAIL(libpool::render(why, node.system)); });
  CHECK(comes_true([&] { return libpool::nodes_of(pool).nodes.empty(); }));
}

TEST_CASE_FIXTURE(nats_world, "the end of a pool ends the agents of its nodes, "
                              "and its clients notice the end") {
  begin();
  REQUIRE(ask(3) == 9);
  caf::scoped_actor self{node.system};
  self->monitor(agent);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  self->receive(
    [](const caf::down_msg& down) { CHECK(down.reason == errc::pool_closed); });
  CHECK(comes_true([&] { return libpool::nodes_of(remote).nodes.empty(); }));
  agent = nullptr;
  serve();
  join();
  CHECK(ask(4) == 16);
}

TEST_CASE_FIXTURE(nats_world, "each client gets the answers of its own pool, "
                              "even if many pools share one server") {
  const auto& names = strange_names();
  std::vector<caf::actor> pools;
  std::vector<caf::actor> remotes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    pools.push_back(libpool::spawn_pool(front.system, 1, [this, i] {
      return front.system.spawn([i]() -> caf::behavior {
        return {[i](int x) { return x + static_cast<int>(i); }};
      });
    }));
    libpool::pool_address at{names[i], server.options()};
    libpool::serve(pools.back(), at);
    with.name = names[i];
    remotes.push_back(libpool::connect(client.system, at, with));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(i);
    remote = remotes[i];
    CHECK(ask(1000) == 1000 + static_cast<int>(i));
  }
  for (const auto& all : {pools, remotes})
    for (const auto& each : all)
      caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
}

TEST_CASE(
  "a pool gets no messages for a pool of the same name with another prefix") {
  nats_world one;
  one.begin();
  nats_world other;
  other.where = one.where;
  other.where.by.prefix = "other";
  other.serve(); // without nodes
  other.connect();
  caf::anon_send(other.remote, 5);
  CHECK(comes_true(
    [&] { return libpool::actor_pool::stats(other.pool).tasks.waiting == 1; }));
  CHECK(one.ask(6) == 36);
  CHECK(libpool::actor_pool::stats(one.pool).tasks.accepted == 1);
}

TEST_CASE_FIXTURE(nats_world,
                  "nodes serve even if their names have unusual characters") {
  serve();
  connect();
  std::vector<caf::actor> agents;
  for (const auto& name : strange_names()) {
    libpool::join_options offer;
    offer.name = name;
    agents.push_back(libpool::join_pool(node.system, where, offer, [this] {
      return node.system.spawn(test::squaring);
    }));
  }
  CHECK(comes_true(
    [&] { return libpool::nodes_of(pool).nodes.size() == agents.size(); }));
  for (const auto& each : libpool::nodes_of(pool).nodes)
    CHECK(std::count(strange_names().begin(), strange_names().end(), each.name)
          == 1);
  CHECK(ask(7) == 49);
  for (const auto& each : agents)
    caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
}

// -- ends ---------------------------------------------------------------------

namespace {

/// Programs that end one after the other, while requests are not answered.
struct ending_world {
  ending_world() : where{"squares", server.options()} {
    auto& nodes = node->system;
    pool = libpool::actor_pool::make(front->system,
                                     libpool::actor_pool::distributed({}));
    libpool::serve(pool, where);
    libpool::join_options offer;
    offer.slots = 2;
    agent = libpool::join_pool(nodes, where, offer, [&nodes] {
      return nodes.spawn(test::never_answering);
    });
    remote = libpool::connect(client->system, where);
    asker = client->system.spawn([this](caf::event_based_actor* self) {
      for (auto i = 0; i < 10; ++i)
        self->request(remote, caf::infinite, i)
          .then([](int) {}, [](caf::error&) {});
    });
    CHECK(comes_true([&] {
      return libpool::agent_stats(agent).running == 2
             && libpool::actor_pool::stats(pool).tasks.open() == 10;
    }));
  }

  void end(int which) {
    if (which == 0) {
      caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
      pool = nullptr;
      front.reset();
    } else if (which == 1) {
      caf::anon_send_exit(agent, caf::exit_reason::user_shutdown);
      agent = nullptr;
      node.reset();
    } else {
      caf::anon_send_exit(asker, caf::exit_reason::user_shutdown);
      caf::anon_send_exit(remote, caf::exit_reason::user_shutdown);
      asker = nullptr;
      remote = nullptr;
      client.reset();
    }
  }

  test::nats_server server;
  libpool::pool_address where;
  std::optional<test::program> front{std::in_place};
  std::optional<test::program> node{std::in_place};
  std::optional<test::program> client{std::in_place};
  caf::actor pool;
  caf::actor agent;
  caf::actor remote;
  caf::actor asker;
};

} // namespace

TEST_CASE("programs can end in any order while requests are open") {
  std::array<int, 3> order{0, 1, 2};
  do {
    CAPTURE(order);
    ending_world world;
    for (auto each : order)
      world.end(each);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("programs whose server was lost can end while requests are open") {
  ending_world world;
  world.server.kill();
  for (auto each : {0, 1, 2})
    world.end(each);
}

} // namespace nats_joining_tests
