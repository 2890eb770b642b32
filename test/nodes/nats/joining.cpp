/// Nodes that join a pool through a NATS server, and how programs end.

#include "nats_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
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

TEST_CASE_FIXTURE(nats_world, "a node joins a pool and answers the requests of "
                              "another program") {
  begin();
  for (auto i = 1; i <= 100; ++i)
    REQUIRE(ask(i) == i * i);
  CHECK(ask(std::string(500'000, 'x')) == 500'000);
  auto known = libpool::nodes_of(pool);
  REQUIRE(known.nodes.size() == 1);
  CHECK(known.nodes[0].name == "node");
  CHECK(known.nodes[0].slots == 2);
  CHECK(known.strays == 0);
  for (const auto& each : {pool, remote})
    CHECK(comes_true([&] { return tasks_of(each).completed == 101; }));
}

TEST_CASE_FIXTURE(nats_world, "a node that is told to leave informs its pool") {
  begin();
  REQUIRE(ask(3) == 9);
  caf::scoped_actor self{node->system};
  self->request(agent, patience, caf::sys_atom{}, libpool::drain_atom{})
    .receive(
      [] {},
      [&](caf::error& why) { FAIL(libpool::render(why, node->system)); });
  CHECK(comes_true([&] { return libpool::nodes_of(pool).nodes.empty(); }));
}

TEST_CASE_FIXTURE(nats_world, "the end of a pool ends the agents of its nodes, "
                              "and its clients notice the end") {
  begin();
  REQUIRE(ask(3) == 9);
  caf::scoped_actor self{node->system};
  self->monitor(agent);
  end(pool);
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
    pools.push_back(libpool::spawn_pool(front->system, 1, [this, i] {
      return front->system.spawn([i]() -> caf::behavior {
        return {[i](int x) { return x + static_cast<int>(i); }};
      });
    }));
    libpool::pool_address at{names[i], server.options()};
    libpool::serve(pools.back(), at);
    with.name = names[i];
    remotes.push_back(libpool::connect(client->system, at, with));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(i);
    remote = remotes[i];
    CHECK(ask(1000) == 1000 + static_cast<int>(i));
  }
  for (auto* all : {&pools, &remotes})
    for (auto& each : *all)
      end(each);
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
  CHECK(
    comes_true([&] { return nats_world::tasks_of(other.pool).waiting == 1; }));
  CHECK(one.ask(6) == 36);
  CHECK(nats_world::tasks_of(one.pool).accepted == 1);
}

TEST_CASE_FIXTURE(nats_world,
                  "nodes serve even if their names have unusual characters") {
  serve();
  connect();
  std::vector<caf::actor> agents;
  for (const auto& name : strange_names()) {
    join(test::squaring, name);
    agents.push_back(agent);
  }
  CHECK(comes_true(
    [&] { return libpool::nodes_of(pool).nodes.size() == agents.size(); }));
  for (const auto& each : libpool::nodes_of(pool).nodes)
    CHECK(std::count(strange_names().begin(), strange_names().end(), each.name)
          == 1);
  CHECK(ask(7) == 49);
  for (auto& each : agents)
    end(each);
}

// -- ends ---------------------------------------------------------------------

namespace {

/// Programs that end one after the other, while requests are not answered.
struct ending_world : nats_world {
  ending_world() {
    serve();
    join(test::never_answering);
    connect();
    flood = client->system.spawn([this](caf::event_based_actor* self) {
      for (auto i = 0; i < 10; ++i)
        self->request(remote, caf::infinite, i)
          .then([](int) {}, [](caf::error&) {});
    });
    CHECK(comes_true([&] {
      return libpool::agent_stats(agent).running == 2
             && tasks_of(pool).open() == 10;
    }));
  }

  void end_program(int which) {
    if (which == 0) {
      end(pool);
      front.reset();
    } else if (which == 1) {
      end(agent);
      node.reset();
    } else {
      end(flood);
      end(remote);
      own_asker.reset();
      client.reset();
    }
  }

  caf::actor flood;
};

} // namespace

TEST_CASE("programs can end in any order while requests are open") {
  std::array<int, 3> order{0, 1, 2};
  do {
    CAPTURE(order);
    ending_world world;
    for (auto each : order)
      world.end_program(each);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("programs whose server was lost can end while requests are open") {
  ending_world world;
  world.server.kill();
  for (auto each : {0, 1, 2})
    world.end_program(each);
}

} // namespace nats_joining_tests
