/// Nodes that join a distributed pool from another actor system, by TLS.

#include "libpool/nodes/letter_bytes.hpp"
#include "libpool/pool.hpp"
#include "libpool/remote/connect.hpp"
#include "libpool/remote/gate.hpp"
#include "libpool/remote/join_pool.hpp"
#include "support/secure_node.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace remote_joining_tests {

using libpool::actor_pool;
using libpool::errc;
using test::comes_true;
using test::known;
using test::patience;
using test::secure_node;

namespace {

caf::behavior squaring() {
  return {[](int x) { return x * x; },
          [](const std::string& x) { return static_cast<int>(x.size()); }};
}

/// A distributed pool, and another node.
struct world {
  explicit world(const libpool::tls_files& others = known().of("two"))
    : here(known().of("one")), there(others) {
    how.token = "secret";
    how.lease = std::chrono::seconds{2};
  }

  ~world() {
    for (auto& each : agents)
      caf::anon_send_exit(each, caf::exit_reason::kill);
    gate.reset();
    if (pool)
      caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }

  world(const world&) = delete;
  world& operator=(const world&) = delete;

  void open(libpool::gate_options options = {}) {
    if (!pool)
      pool = actor_pool::make(here.system, actor_pool::distributed(how));
    auto opened = libpool::gate::for_agents(here.system, pool,
                                            std::move(options));
    if (!opened)
      FAIL(libpool::render(opened.error(), here.system));
    gate.emplace(std::move(*opened));
  }

  const caf::actor& join(const std::string& token = "secret") {
    libpool::join_options offer;
    offer.slots = 2;
    offer.token = token;
    offer.name = "two";
    agents.push_back(
      libpool::join_pool(there.system, {"127.0.0.1", gate->port()}, offer,
                         [this] { return there.system.spawn(squaring); }));
    return agents.back();
  }

  /// The answer to `x`, or 0.
  template <class T>
  int ask(const T& x) {
    auto result = 0;
    client->request(pool, patience, x)
      .receive(
        [&](int y) { result = y; },
        [&](caf::error& why) { MESSAGE(libpool::render(why, here.system)); });
    return result;
  }

  libpool::node_options how;
  secure_node here;
  secure_node there;
  caf::scoped_actor client{here.system};
  caf::actor pool;
  std::optional<libpool::gate> gate;
  std::vector<caf::actor> agents;
};

} // namespace

TEST_CASE_FIXTURE(world, "a node joins through a gate and answers") {
  open();
  join();
  for (auto i = 1; i <= 100; ++i)
    REQUIRE(ask(i) == i * i);
  CHECK(ask(std::string(1'000'000, 'x')) == 1'000'000);
  auto nodes = libpool::nodes_of(pool);
  REQUIRE(nodes.nodes.size() == 1);
  CHECK(nodes.nodes[0].name == "two");
  CHECK(nodes.nodes[0].slots == 2);
  CHECK(nodes.strays == 0);
  CHECK(gate->counts().passed > 100);
}

TEST_CASE_FIXTURE(world, "a node without the token is rejected") {
  open();
  const auto& agent = join("wrong");
  CHECK(comes_true([&] { return gate->counts().refused == 1; }));
  client->monitor(agent);
  client->receive([](const caf::down_msg& down) {
    CHECK(down.reason == errc::not_connected);
  });
  CHECK(libpool::nodes_of(pool).turned_away == 1);
}

TEST_CASE_FIXTURE(world, "a gate for agents does not open without a token") {
  how.token = "";
  pool = actor_pool::make(here.system, actor_pool::distributed(how));
  auto opened = libpool::gate::for_agents(here.system, pool);
  CHECK(!opened);
  CHECK(opened.error() == errc::insecure);
}

TEST_CASE("a node with a certificate of another CA is rejected") {
  world one{known().of("one", "stranger")};
  one.open();
  const auto& agent = one.join();
  CHECK(comes_true([&] {
    return libpool::agent_stats(agent).trouble == errc::not_connected;
  }));
  CHECK(libpool::nodes_of(one.pool).nodes.empty());
}

TEST_CASE_FIXTURE(world, "a message that is not a message batch counts as a "
                         "stray, and has no effect") {
  open();
  join();
  REQUIRE(ask(3) == 9);
  auto entrance = libpool::connect(there.system, {"127.0.0.1", gate->port()},
                                   {patience});
  REQUIRE(entrance);
  caf::scoped_actor stranger{there.system};
  stranger->send(*entrance, std::string{"nonsense"});
  stranger->send(*entrance, std::string{});
  stranger->send(*entrance, 42);
  stranger->send(*entrance, caf::sys_atom{}, caf::get_atom{});
  stranger->send(*entrance, caf::sys_atom{}, caf::delete_atom{});
  stranger->send(*entrance, libpool::bytes_of(libpool::letter_to_pool{
                              libpool::worker_number{0},
                              libpool::bye{libpool::worker_number{0}}}));
  caf::anon_send_exit(*entrance, caf::exit_reason::kill);
  CHECK(comes_true([&] { return gate->counts().refused == 7; }));
  CHECK(ask(4) == 16);
  CHECK(libpool::nodes_of(pool).nodes.size() == 1);
}

TEST_CASE_FIXTURE(world, "a process can serve a pool and be its client") {
  open();
  join();
  auto clients = libpool::gate::for_submitters(here.system, pool);
  REQUIRE(clients);
  auto remote = libpool::connect(there.system, {"127.0.0.1", clients->port()},
                                 {patience});
  REQUIRE(remote);
  caf::scoped_actor self{there.system};
  for (auto i = 1; i <= 20; ++i)
    self->request(*remote, patience, i)
      .receive(
        [i](int y) { CHECK(y == i * i); },
        [&](caf::error& why) { FAIL(libpool::render(why, there.system)); });
}

TEST_CASE_FIXTURE(world, "a node that is told to leave informs its pool") {
  open();
  join();
  REQUIRE(ask(3) == 9);
  caf::scoped_actor self{there.system};
  self->request(agents[0], patience, caf::sys_atom{}, libpool::drain_atom{})
    .receive(
      [] {},
      [&](caf::error& why) { FAIL(libpool::render(why, there.system)); });
  CHECK(comes_true([&] { return libpool::nodes_of(pool).nodes.empty(); }));
}

TEST_CASE_FIXTURE(world, "the end of a pool ends the agents of its nodes") {
  open();
  const auto& agent = join();
  REQUIRE(ask(3) == 9);
  client->monitor(agent);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  client->receive(
    [](const caf::down_msg& down) { CHECK(down.reason == errc::pool_closed); });
}

} // namespace remote_joining_tests
