/// How a node's agent joins a pool, and how it deals with its line.

#include "support/agent_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace agent_joining_tests {

using libpool::errc;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : test::agent_world {
  /// Number of message batches that the agent sends within that time.
  std::size_t said_within(std::chrono::milliseconds time) {
    auto before = line->said;
    for (auto step = 0ms; step < time; step += 10ms)
      advance(10ms);
    return line->said - before;
  }

  /// Bytes of a welcome that answers that hello.
  std::string welcome_bytes(std::uint64_t answered) {
    libpool::worker_number number{session + 1};
    return libpool::bytes_of(libpool::envelope{epoch, {}})
           + libpool::bytes_of(libpool::batch_to_node{
             number, libpool::welcome{answered, number, lease}});
  }
};

} // namespace

// -- joining ------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "an agent introduces its node, is admitted, and then "
                         "requests two tasks for each slot") {
  join.name = "north";
  join.labels = {"gpu", "big"};
  spawn(idle());
  CHECK(heard() == "hello(1) ");
  CHECK(introduced.name == "north");
  CHECK(introduced.labels == std::vector<std::string>{"gpu", "big"});
  CHECK(introduced.speaks.newest == libpool::spoken_protocols.newest);
  CHECK(!state().session);
  welcome();
  CHECK(heard() == "ready beat demand(4) ");
  CHECK(state().session == 1);
}

TEST_CASE_FIXTURE(world, "an agent sends a beat in every quarter of a lease") {
  serve(idle());
  for (auto i = 0; i < 12; ++i) {
    advance(999ms);
    CHECK(heard().empty());
    advance(1ms);
    CHECK(heard() == "beat ");
    echo();
  }
  CHECK(state().session == 1);
  CHECK(state().strays == 0);
}

TEST_CASE_FIXTURE(
  world,
  "an agent sends hello messages with growing pauses until its welcome") {
  spawn(idle());
  CHECK(line->said == 1);
  // Pauses of at most 100, 200, 400, 800, 1600, and more than half of that;
  // each is noticed within 10 ms.
  CHECK(said_within(1'540ms) == 4);
  CHECK(said_within(1'610ms) >= 1);
  // At most 5 s, and 2.5 s at least, from the ninth on at the latest.
  said_within(20s);
  auto more = said_within(50s);
  CHECK(more >= 9);
  CHECK(more <= 20);
  welcome();
  CHECK(state().session == 1);
  heard();
  advance(5s);
  CHECK(heard().find("hello") == std::string::npos);
}

TEST_CASE_FIXTURE(
  world, "the pauses between hello messages are short again after a session") {
  serve(idle());
  for (auto i = 1; i < 8; ++i) {
    end_session();
    CHECK(heard() == "hello(" + std::to_string(2 * i) + ") ");
    advance(100ms);
    CHECK(heard() == "hello(" + std::to_string(2 * i + 1) + ") ");
    welcome();
    CHECK(heard() == "ready beat demand(4) ");
  }
}

TEST_CASE_FIXTURE(
  world, "a welcome message that answers an older hello message is ignored") {
  spawn(idle());
  advance(100ms);
  CHECK(heard() == "hello(1) hello(2) ");
  send_bytes(welcome_bytes(1));
  CHECK(!state().session);
  send_bytes(welcome_bytes(2));
  CHECK(state().session == 1);
}

TEST_CASE_FIXTURE(
  world, "an agent whose session was ended sends a hello message at once") {
  serve(idle());
  end_session();
  CHECK(!state().session);
  CHECK(state().strays == 0);
  CHECK(heard() == "hello(2) ");
  welcome();
  CHECK(state().session == 2);
}

TEST_CASE_FIXTURE(
  world, "an agent without a common protocol version ends with an error") {
  spawn(idle());
  reject(libpool::rejection::protocol);
  CHECK(has_ended());
  CHECK(ended() == errc::not_connected);
}

TEST_CASE_FIXTURE(world, "an agent ends if the pool dismisses its node") {
  serve(idle());
  tell(libpool::bye{libpool::worker_number{session}});
  CHECK(has_ended());
  CHECK(ended() == errc::pool_closed);
  CHECK(state().strays == 0);
}

// -- the line -----------------------------------------------------------------

TEST_CASE_FIXTURE(world, "an agent sends no message before its line is up") {
  line->is_up = false;
  spawn(idle());
  advance(10s);
  CHECK(line->said == 0);
  come_up();
  CHECK(heard() == "hello(1) ");
}

TEST_CASE_FIXTURE(world, "an agent sends no hello while its line is down, and "
                         "sends a hello at once when the line is up again") {
  spawn(idle());
  go_down();
  advance(10s);
  CHECK(line->said == 1);
  come_up();
  CHECK(heard() == "hello(1) hello(2) ");
}

TEST_CASE_FIXTURE(world, "an interrupted line does not end a session, and the "
                         "agent sends a beat once the line is up again") {
  serve(idle());
  go_down("cable cut");
  auto before = line->said;
  advance(10s);
  CHECK(line->said == before);
  CHECK(state().session == 1);
  CHECK(state().trouble == errc::not_connected);
  CHECK(libpool::render(state().trouble, system()).find("cable cut")
        != std::string::npos);
  come_up();
  CHECK(heard() == "beat ");
  go_down();
  come_up();
  CHECK(heard() == "beat ");
  advance(1s);
  CHECK(heard() == "beat ");
  CHECK(state().session == 1);
}

TEST_CASE_FIXTURE(world,
                  "agent_state::trouble is cleared when a session begins") {
  spawn(idle());
  go_down();
  come_up();
  CHECK(state().trouble == errc::not_connected);
  welcome();
  CHECK(!state().trouble);
}

TEST_CASE_FIXTURE(
  world, "agent_state::trouble is cleared when a message of the pool arrives") {
  serve(idle());
  go_down();
  come_up();
  CHECK(state().trouble == errc::not_connected);
  advance(3s);
  tell(libpool::receipt{0});
  CHECK(!state().trouble);
}

TEST_CASE_FIXTURE(world, "agent_state::trouble is set when the pool has been "
                         "silent for three quarters of a lease") {
  serve(idle());
  advance(3s - 1ms);
  CHECK(!state().trouble);
  advance(1ms);
  CHECK(state().trouble == errc::not_connected);
  CHECK(libpool::render(state().trouble, system()).find("does not answer")
        != std::string::npos);
  tell(libpool::receipt{0});
  CHECK(!state().trouble);
}

TEST_CASE_FIXTURE(
  world, "agent_state::trouble is set when no pool has answered for a second") {
  spawn(idle());
  advance(1s - 1ms);
  CHECK(!state().trouble);
  advance(1ms);
  CHECK(state().trouble == errc::not_connected);
  welcome();
  CHECK(!state().trouble);
}

TEST_CASE_FIXTURE(
  world,
  "an agent repeats lost messages in the order in which they were sent") {
  spawn(idle());
  welcome();
  lose_said(); // ready, beat and demand
  advance(1s);
  CHECK(heard() == "beat ready demand(4) ");
  CHECK(repeated == 0);
  advance(1s);
  CHECK(heard() == "beat ");
}

TEST_CASE_FIXTURE(world, "an agent that gets no answers keeps its session, and "
                         "continues to send beats") {
  serve(idle());
  for (auto i = 0; i < 40; ++i) {
    advance(1s);
    CHECK(heard() == "beat ");
  }
  CHECK(state().session == 1);
}

TEST_CASE_FIXTURE(
  world, "an agent whose transport cannot be opened ends with the reason") {
  on_open = [] { throw std::runtime_error{"no route to farm"}; };
  spawn(idle());
  CHECK(has_ended());
  CHECK(ended() == errc::not_connected);
  CHECK(libpool::render(ended(), system()).find("no route to farm")
        != std::string::npos);
}

TEST_CASE_FIXTURE(
  world,
  "an agent sends no message if its transport comes up but cannot be opened") {
  on_open = [this] {
    agent_side->came_up();
    throw std::runtime_error{"no route"};
  };
  spawn(idle());
  CHECK(ended() == errc::not_connected);
  CHECK(line->said == 0);
}

TEST_CASE_FIXTURE(world, "an agent ends when the pool has ended") {
  SUBCASE("before the transport is open") {
    on_open = [this] { agent_side->closed(); };
    spawn(idle());
  }
  SUBCASE("while the agent serves") {
    serve(idle());
    agent_side->closed();
  }
  run();
  CHECK(has_ended());
  CHECK(ended() == errc::pool_closed);
}

TEST_CASE_FIXTURE(
  world, "calls of the transport after the end of the agent change nothing") {
  serve(idle());
  exit(agent, caf::exit_reason::user_shutdown);
  run();
  auto call_all = [this] {
    send_bytes(welcome_bytes(1));
    send_bytes("no batch");
    agent_side->came_up();
    agent_side->went_down("late");
    agent_side->closed();
    run();
  };
  call_all();
  CHECK(ended() == caf::exit_reason::user_shutdown);
  CHECK(state().strays == 0);
  end_agent();
  call_all();
  CHECK(heard().empty());
}

// -- epochs -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "an agent states the epoch of its session in each "
                         "message batch, and epoch 0 before a session") {
  spawn(idle());
  heard();
  CHECK(epoch_of_last == 0);
  welcome();
  heard();
  CHECK(epoch_of_last == 17);
  end_session();
  epoch = 23;
  welcome();
  CHECK(heard() == "ready beat demand(4) ");
  CHECK(epoch_of_last == 23);
  CHECK(state().session == 2);
}

TEST_CASE_FIXTURE(
  world, "an agent ignores a message batch of another epoch, and accepts it "
         "when it arrives again with the epoch of its session") {
  serve(idle());
  for (auto other : {16, 18}) {
    epoch = static_cast<std::uint64_t>(other);
    sends({1});
    echo();
  }
  CHECK(state().strays == 4);
  CHECK(state().done == 0);
  CHECK(heard().empty());
  epoch = 17;
  echo();
  CHECK(heard().find("resend ") == 0);
  CHECK(tellings.at(1) == 2); // was sent twice
}

TEST_CASE_FIXTURE(world, "a welcome from another epoch does not change the "
                         "session") {
  serve(idle());
  epoch = 23;
  send_bytes(welcome_bytes(1));
  CHECK(state().session == 1);
  CHECK(state().strays == 1);
  epoch = 17;
  advance(1s);
  CHECK(heard() == "beat ");
  CHECK(epoch_of_last == 17);
}

TEST_CASE_FIXTURE(
  world, "a later epoch that does not know the session ends it at once") {
  serve(idle());
  epoch = 18;
  end_session();
  CHECK(!state().session);
  CHECK(heard() == "hello(2) ");
  CHECK(state().strays == 0);
  welcome();
  CHECK(state().session == 2);
}

TEST_CASE_FIXTURE(world, "a session of another epoch does not continue an "
                         "older session of the same number") {
  serve(idle());
  sends({1, 2});
  heard();
  epoch = 18;
  end_session();
  session = 0;
  stream = {};
  welcome();
  CHECK(state().session == 1);
  CHECK(heard().find("ready beat ") == 0);
  sends({1});
  heard();
  CHECK(tellings.at(1) == 2);
  CHECK(repeated == 0);
  CHECK(state().strays == 0);
}

TEST_CASE_FIXTURE(world, "a message of an earlier epoch ends a session only if "
                         "beats were not answered") {
  serve(idle());
  epoch = 16;
  advance(2'999ms);
  end_session();
  CHECK(state().session == 1);
  CHECK(state().strays == 1);
  advance(1ms);
  end_session();
  CHECK(!state().session);
}

// -- strays -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "bytes that are not a message batch are ignored") {
  serve(idle());
  send_bytes("");
  send_bytes("not a batch");
  send_bytes(libpool::bytes_of(libpool::envelope{epoch, {}}));
  send_bytes(libpool::bytes_of(libpool::envelope{epoch, {}}) + "not a batch");
  CHECK(state().strays == 4);
  CHECK(state().session == 1);
  CHECK(heard().empty());
}

TEST_CASE_FIXTURE(world, "a message batch of another session is ignored") {
  serve(idle());
  session = 5;
  tell(libpool::gone{libpool::worker_number{5}});
  CHECK(state().strays == 1);
  sends({1});
  CHECK(state().strays == 2);
  CHECK(state().done == 0);
  CHECK(state().session == 1);
}

} // namespace agent_joining_tests
