/// Work from another node, by TLS, and what else another node might send.

#include "support/gate_world.hpp"
#include "support/in_threads.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <utility>
#include <vector>

using caf::sys_atom;
using libpool::errc;
using test::comes_true;
using test::gate_world;
using test::patience;

TEST_CASE_FIXTURE(gate_world, "requests from another node are answered") {
  open();
  auto remote = connected();
  for (auto i = 1; i <= 100; ++i)
    REQUIRE(ask(remote, i) == i * i);
  CHECK(gate->counts().passed == 100);
  CHECK(gate->counts().refused == 0);
  // The answer may be here before the worker has returned.
  CHECK(comes_true([&] { return stats().tasks.completed == 100; }));
}

TEST_CASE_FIXTURE(
  gate_world, "simultaneous connections to the gates of one process all work") {
  constexpr auto count = 4U;
  std::vector<libpool::gate> gates;
  for (auto i = 0U; i < count; ++i)
    gates.push_back(
      std::move(*libpool::gate::for_submitters(here.system, pool)));
  for (auto round = 0; round < 12; ++round) {
    test::secure_node another{test::known().of("two")};
    std::vector<std::optional<caf::actor>> remotes(count);
    test::in_threads(count, [&](unsigned i) {
      if (auto found = libpool::connect(
            another.system, {"127.0.0.1", gates[i].port()}, {patience}))
        remotes[i] = *found;
    });
    caf::scoped_actor self{another.system};
    for (const auto& each : remotes) {
      REQUIRE(each);
      self->request(*each, patience, 7)
        .receive(
          [](int y) { CHECK(y == 49); },
          [&](caf::error& why) { FAIL(libpool::render(why, another.system)); });
    }
  }
}

TEST_CASE_FIXTURE(gate_world, "another node cannot manage the pool") {
  open();
  auto remote = connected();
  auto worker = there.system.spawn(test::squaring, 0);
  CHECK(refusal_of(remote, sys_atom{}, caf::get_atom{}) == errc::not_work);
  CHECK(refusal_of(remote, sys_atom{}, caf::put_atom{}, worker)
        == errc::not_work);
  CHECK(refusal_of(remote, sys_atom{}, caf::delete_atom{}) == errc::not_work);
  CHECK(refusal_of(remote, sys_atom{}, libpool::drain_atom{})
        == errc::not_work);
  CHECK(refusal_of(remote, sys_atom{}, libpool::stats_atom{})
        == errc::not_work);
  CHECK(ask(remote, 7) == 49);
  CHECK(gate->counts().refused == 5);
  CHECK(stats().workers == 2);
  caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(gate_world, "another node cannot end the pool or its "
                              "workers") {
  open();
  auto remote = connected();
  for (auto why : {caf::exit_reason::kill, caf::exit_reason::user_shutdown})
    caf::anon_send_exit(remote, why);
  caf::anon_send(remote, caf::make_error(caf::sec::runtime_error));
  CHECK(ask(remote, 7) == 49); // behind them, on one connection
  CHECK(gate->counts().refused == 3);
  CHECK(stats().workers == 2);
  CHECK(stats().restarts == 0);
}

TEST_CASE_FIXTURE(
  gate_world,
  "the end of a linked actor on another node does not end the pool") {
  open();
  auto remote = connected();
  auto linked = there.system.spawn([remote](caf::event_based_actor* self) {
    self->link_to(remote);
    return caf::behavior{[](int x) { return x; }};
  });
  CHECK(ask(linked, 1) == 1); // the link was sent
  client->monitor(linked);
  caf::anon_send_exit(linked, caf::exit_reason::kill);
  client->receive([](const caf::down_msg&) {});
  CHECK(ask(remote, 7) == 49);
}

TEST_CASE_FIXTURE(gate_world, "answers have the gate as their sender") {
  open();
  auto remote = connected();
  client->send(remote, 7);
  client->receive([&](int y) {
    CHECK(y == 49);
    CHECK(client->current_sender()
          == caf::actor_cast<caf::strong_actor_ptr>(remote));
  });
}

TEST_CASE_FIXTURE(gate_world, "a connected client is notified that the gate "
                              "was closed, and the pool continues") {
  open();
  auto remote = connected();
  CHECK(ask(remote, 7) == 49);
  client->monitor(remote);
  gate->close();
  client->receive([&](const caf::down_msg& message) {
    CHECK(message.source == remote.address());
  });
  CHECK(gate->counts().passed == 1);
  caf::scoped_actor local{here.system};
  auto result = 0;
  local->request(pool, patience, 8)
    .receive([&](int y) { result = y; }, [](caf::error&) {});
  CHECK(result == 64);
}

TEST_CASE_FIXTURE(
  gate_world,
  "a gate that was moved stays open, and closes at the end of its new owner") {
  open();
  {
    auto moved = std::move(*gate);
    gate.reset();
    auto found = libpool::connect(there.system, {"127.0.0.1", moved.port()},
                                  {patience});
    REQUIRE(found);
    CHECK(ask(*found, 7) == 49);
    client->monitor(*found);
  }
  client->receive([](const caf::down_msg&) {});
}

TEST_CASE_FIXTURE(gate_world,
                  "a gate can be opened on the port of a closed one") {
  libpool::gate_options options;
  options.reuse_address = true;
  open(options);
  options.port = gate->port();
  auto remote = connected();
  client->monitor(remote);
  gate.reset();
  client->receive([](const caf::down_msg&) {});
  open(options);
  CHECK(gate->port() == options.port);
  CHECK(ask(connected(), 7) == 49);
}

TEST_CASE_FIXTURE(gate_world,
                  "the end of the pool ends its gate for connected clients") {
  open();
  auto remote = connected();
  client->monitor(remote);
  libpool::actor_pool::drain(pool);
  client->receive([](const caf::down_msg&) {});
}
