/// How a node's agent comes into a pool, and comes back.

#include "support/agent_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace agent_joining_tests {

using libpool::errc;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : test::agent_world {
  /// A node that loses its front.
  void lose_front() {
    heard();
    front().die();
    run();
  }

  scripted::script idle() {
    return [](scripted&) -> caf::behavior { return {[](int) {}}; };
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "an agent introduces its node, is admitted, and "
                         "demands two tasks for each slot") {
  join.token = "secret";
  join.name = "north";
  join.labels = {"gpu", "big"};
  spawn(idle());
  CHECK(heard() == "hello(1) ");
  CHECK(introduced.token == "secret");
  CHECK(introduced.name == "north");
  CHECK(introduced.labels == std::vector<std::string>{"gpu", "big"});
  CHECK(introduced.speaks.newest == libpool::spoken_protocols.newest);
  CHECK(!state().session);
  welcome();
  CHECK(heard() == "ready beat demand(4) ");
  CHECK(state().session == 1);
}

TEST_CASE_FIXTURE(world, "an agent beats in every quarter of a lease, and "
                         "serves while beats are answered") {
  serve(idle());
  for (auto i = 0; i < 12; ++i) {
    advance(1s);
    CHECK(heard() == "beat ");
    echo();
  }
  CHECK(state().session == 1);
}

TEST_CASE_FIXTURE(world, "an agent without answered beats says hello after "
                         "three quarters of the lease") {
  serve(idle());
  advance(2s);
  CHECK(heard() == "beat ");
  advance(1s);
  CHECK(heard() == "hello(2) ");
  CHECK(!state().session);
  welcome();
  CHECK(state().session == 2);
}

TEST_CASE_FIXTURE(world, "an agent that loses its front pauses, then connects "
                         "to the next by a new endpoint") {
  serve(idle());
  auto before = endpoint;
  lose_front();
  CHECK(tries == 1);
  CHECK(!state().session);
  CHECK(state().trouble == caf::exit_reason::kill);
  CHECK(libpool::is_dead(*before->get()));
  advance(49ms);
  CHECK(tries == 1);
  advance(51ms);
  CHECK(tries == 2);
  CHECK(heard() == "hello(2) ");
  CHECK(endpoint != before);
  welcome();
  CHECK(heard() == "ready beat demand(4) ");
  CHECK(!state().trouble);
}

TEST_CASE_FIXTURE(
  world, "an agent tries repeatedly to find the front, with growing pauses") {
  on_connect = [](const found& answer) {
    answer(libpool::make_error(errc::not_connected));
  };
  spawn(idle());
  CHECK(state().trouble == errc::not_connected);
  auto tries_within = [this](std::chrono::milliseconds time) {
    auto before = tries;
    for (auto step = 0ms; step < time; step += 10ms)
      advance(10ms);
    return tries - before;
  };
  // Pauses of at most 100, 200, 400, 800, 1600, and at least half of that; each
  // is noticed within 10 ms.
  CHECK(tries_within(1'540ms) <= 5);
  CHECK(tries_within(1'610ms) >= 1);
  CHECK(tries >= 6);
  // At most 5 s, and 2.5 s at least, from the ninth on at the latest.
  tries_within(20s);
  auto more = tries_within(50s);
  CHECK(more >= 9);
  CHECK(more <= 20);
}

TEST_CASE_FIXTURE(world, "the pauses between tries are short again after a "
                         "session") {
  serve(idle());
  for (auto i = 0; i < 8; ++i) {
    lose_front();
    advance(100ms);
    REQUIRE(tries == static_cast<std::size_t>(i + 2));
    welcome();
  }
}

TEST_CASE_FIXTURE(world, "a connector that throws counts as failed") {
  on_connect = [](const found&) { throw std::runtime_error{"no route"}; };
  spawn(idle());
  CHECK(state().trouble == errc::not_connected);
  on_connect = nullptr;
  advance(100ms);
  CHECK(heard() == "hello(1) ");
}

TEST_CASE_FIXTURE(
  world,
  "the first answer of a connector that answers later and twice counts") {
  found later;
  on_connect = [&later](const found& answer) { later = answer; };
  spawn(idle());
  test::probe one{*this};
  test::probe other{*this};
  later(one.pointer());
  later(other.pointer());
  run();
  CHECK(one.received() == 1);
  CHECK(other.received() == 0);
}

TEST_CASE_FIXTURE(world, "an answer of the connector after the agent's end "
                         "changes nothing") {
  found later;
  on_connect = [&later](const found& answer) { later = answer; };
  spawn(idle());
  test::probe late{*this};
  exit(agent, caf::exit_reason::user_shutdown);
  run();
  later(late.pointer());
  end_agent();
  later(late.pointer());
  CHECK(late.received() == 0);
}

TEST_CASE_FIXTURE(
  world, "an agent ends when the connector says that the pool has ended") {
  on_connect = [](const found& answer) { answer(nullptr); };
  spawn(idle());
  CHECK(has_ended());
  CHECK(ended() == errc::pool_closed);
}

TEST_CASE_FIXTURE(world, "an agent whose token is wrong ends with an error") {
  spawn(idle());
  reject(libpool::rejection::token);
  CHECK(has_ended());
  CHECK(ended() == errc::not_connected);
}

TEST_CASE_FIXTURE(
  world, "an agent without a common protocol version ends with an error") {
  spawn(idle());
  reject(libpool::rejection::protocol);
  CHECK(has_ended());
  CHECK(ended() == errc::not_connected);
}

TEST_CASE_FIXTURE(
  world, "an agent reconnects to a pool that currently accepts no nodes") {
  spawn(idle());
  reject(libpool::rejection::closed);
  CHECK(!has_ended());
  CHECK(state().trouble == errc::pool_closed);
  CHECK(libpool::is_dead(*endpoint->get()));
  advance(100ms);
  CHECK(tries == 2);
  CHECK(heard() == "hello(2) ");
}

TEST_CASE_FIXTURE(world, "an agent whose hello is not answered within 10 s "
                         "reconnects by another endpoint") {
  serve(idle());
  advance(3s);
  CHECK(heard() == "hello(2) ");
  auto before = endpoint;
  advance(9'999ms);
  CHECK(tries == 1);
  advance(1ms);
  CHECK(state().trouble == errc::not_connected);
  advance(100ms);
  CHECK(tries == 2);
  CHECK(heard() == "hello(3) ");
  CHECK(endpoint != before);
}

TEST_CASE_FIXTURE(world, "an agent that the pool dismisses ends") {
  serve(idle());
  tell(libpool::bye{libpool::worker_number{session}});
  CHECK(has_ended());
  CHECK(ended() == errc::pool_closed);
  CHECK(state().strays == 0);
}

// -- strays -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a message batch from another actor is ignored") {
  spawn(idle());
  heard();
  auto letter = libpool::bytes_of(libpool::letter_to_node{
    libpool::worker_number{1},
    libpool::welcome{1, libpool::worker_number{1}, lease}});
  test::probe stranger{*this};
  stranger.send(caf::actor_cast<caf::actor>(endpoint), letter);
  run();
  CHECK(!state().session);
  CHECK(state().strays == 1);
  send_bytes(letter);
  CHECK(state().session == 1);
}

TEST_CASE_FIXTURE(world, "a message that is not a message batch is ignored") {
  serve(idle());
  send_bytes("");
  send_bytes("not a letter");
  front().send(caf::actor_cast<caf::actor>(endpoint), 42);
  front().send(caf::actor_cast<caf::actor>(endpoint),
               caf::exit_msg{front()->address(), caf::exit_reason::kill});
  run();
  CHECK(state().strays == 4);
  CHECK(state().session == 1);
  CHECK(heard().empty());
}

TEST_CASE_FIXTURE(world,
                  "a message batch through an older endpoint is ignored") {
  serve(idle());
  auto older = endpoint;
  lose_front();
  advance(100ms);
  heard();
  auto letter = libpool::bytes_of(libpool::letter_to_node{
    libpool::worker_number{2},
    libpool::welcome{2, libpool::worker_number{2}, lease}});
  front().send(caf::actor_cast<caf::actor>(older), letter);
  run();
  CHECK(!state().session);
  CHECK(state().strays == 1);
}

TEST_CASE_FIXTURE(world, "a message batch of another session is ignored") {
  serve(idle());
  session = 5;
  sends({1});
  CHECK(state().strays == 1);
  CHECK(state().done == 0);
  session = 1;
}

} // namespace agent_joining_tests
