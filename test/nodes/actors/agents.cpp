/// What the agent of a node does beside the protocol: its line, its local pool,
/// its options, and its end.

#include "libpool/actors/caf/packing.hpp"
#include "support/nodes_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace agents_tests {

/// Cannot be written.
struct local_note {
  int text = 0;
};

} // namespace agents_tests

LIBPOOL_TEST_MESSAGE_TYPE(1, agents_tests::local_note)

namespace agents_tests {

using libpool::errc;
using libpool::outcome;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : test::nodes_world {
  /// Sends a message of the pool with this epoch to the first node.
  void hear(std::uint64_t epoch, const std::string& batch) const {
    hear_bytes(libpool::bytes_of(libpool::envelope{epoch, {}}) + batch);
  }

  void hear_bytes(const std::string& bytes) const {
    link(0).heard({}, test::node_line::owned(bytes));
  }

  std::string words(const caf::error& why) {
    return libpool::render(why, system());
  }
};

/// Crashes at the number 13.
caf::behavior superstitious(scripted&) {
  return {[](int x) {
    if (x == 13)
      test::crash();
    return 2 * x;
  }};
}

/// Promises texts, whose sizes `deliver` states.
scripted::script promising_texts(world& in) {
  return [&in](scripted& self) -> caf::behavior {
    return {
      [&](int) {
        in.holders.push_back(&self);
        in.promises.push_back(self.make_response_promise());
        return in.promises.back();
      },
      [&](caf::ok_atom, std::size_t i, int size) {
        auto promise = std::move(in.promises.at(i));
        promise.deliver(std::string(static_cast<std::size_t>(size), 'x'));
      },
    };
  };
}

} // namespace

// -- the line -----------------------------------------------------------------

TEST_CASE_FIXTURE(world, "agent_state::trouble is the reason of an interrupted "
                         "line until a message of the pool arrives") {
  begin(adding());
  CHECK(!state(0).trouble);
  auto said = link(0).said;
  cut(0);
  wait(10s);
  CHECK(link(0).said == said);
  CHECK(state(0).trouble == errc::not_connected);
  CHECK(words(state(0).trouble).find("the cable is cut") != std::string::npos);
  restore(0);
  CHECK(!state(0).trouble);
}

TEST_CASE_FIXTURE(world, "agent_state::trouble is set when the pool has been "
                         "silent for three quarters of a lease, or for a "
                         "second before a session") {
  make();
  auto silence = 3000ms;
  SUBCASE("in a session") {
    join(adding());
    link(0).hold();
  }
  SUBCASE("before a session") {
    on_open = [](test::node_line& line) { line.hold(); };
    join(adding());
    silence = 1000ms;
  }
  advance(silence - 1ms);
  CHECK(!state(0).trouble);
  advance(1ms);
  CHECK(words(state(0).trouble).find("does not answer") != std::string::npos);
  link(0).let_go();
  wait(5s);
  CHECK(state(0).session);
  CHECK(!state(0).trouble);
}

TEST_CASE_FIXTURE(
  world, "an agent whose transport cannot be opened ends with the reason") {
  make();
  auto comes_up = false;
  SUBCASE("at once") {}
  SUBCASE("although it has come up") {
    comes_up = true;
  }
  on_open = [comes_up](test::node_line& line) {
    if (comes_up)
      line.came_up();
    throw std::runtime_error{"no route to farm"};
  };
  join(adding());
  CHECK(why_ended(0) == errc::not_connected);
  CHECK(words(why_ended(0)).find("no route to farm") != std::string::npos);
  CHECK(link(0).said == 0);
}

TEST_CASE_FIXTURE(
  world, "an agent without a common protocol version ends with an error") {
  begin(adding());
  hear(0, libpool::bytes_of(libpool::rejection::protocol));
  run();
  CHECK(why_ended(0) == errc::not_connected);
}

TEST_CASE_FIXTURE(world, "an agent ends if the pool dismisses its node") {
  begin(adding());
  exit(workers().at(0), caf::exit_reason::user_shutdown);
  run();
  CHECK(why_ended(0) == errc::pool_closed);
}

TEST_CASE_FIXTURE(world, "an agent ends if the pool has as many nodes as "
                         "most_workers allows") {
  options.most_workers = 1;
  begin(adding());
  join(adding());
  CHECK(why_ended(1) == errc::pool_closed);
  CHECK(workers().size() == 1);
  CHECK(client.ask(pool, 1).get<int>() == 2);
}

TEST_CASE_FIXTURE(world, "bytes that are not a message batch, and batches of "
                         "another epoch or session, are ignored as strays") {
  begin(adding());
  auto epoch = libpool::nodes_of(pool).epoch;
  auto gone = [](std::uint64_t session) {
    libpool::worker_number number{session};
    return libpool::bytes_of(
      libpool::batch_to_node{number, libpool::gone{number}});
  };
  hear_bytes("not an envelope");
  hear(epoch, "not a batch");
  hear(epoch - 1, gone(1));
  hear(epoch, gone(5));
  run();
  CHECK(state(0).strays == 4);
  CHECK(state(0).session == 1);
  CHECK(client.ask(pool, 1).get<int>() == 2);
}

TEST_CASE_FIXTURE(
  world, "calls of the transport after the end of the agent change nothing") {
  begin(adding());
  exit(agents.at(0), caf::exit_reason::user_shutdown);
  run();
  for (auto* each : {"", "no batch"})
    hear(1, each);
  cut(0);
  restore(0);
  link(0).closed();
  run();
  CHECK(why_ended(0) == caf::exit_reason::user_shutdown);
  CHECK(state(0).strays == 0);
}

// -- tasks --------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "tasks occupy at most all slots, by default as many "
                         "as there are workers, and the next task starts when "
                         "one has ended") {
  make();
  std::size_t slots = 2;
  offer.pool.workers = 4;
  SUBCASE("with slots") {
    join(promising(), 2);
  }
  SUBCASE("without slots") {
    offer.pool.workers = slots = 3;
    join(promising(), 0);
  }
  request_all(1, 4);
  let_travel();
  CHECK(promises.size() == slots);
  CHECK(state(0).running == slots);
  CHECK(state(0).waiting == 4 - slots);
  deliver(1, 7);
  CHECK(promises.size() == slots + 1);
  CHECK(state(0).running == slots);
}

TEST_CASE_FIXTURE(world, "after a machine was suspended for three quarters of "
                         "a lease, no task starts until a beat is answered") {
  begin(promising());
  request_all(1, 2);
  let_travel();
  link(0).hold();
  slept = 3s; // of which the clock that wakes knows nothing
  deliver(0, 7);
  CHECK(promises.size() == 1);
  CHECK(state(0).waiting == 1);
  link(0).let_go();
  run();
  CHECK(promises.size() == 2);
}

TEST_CASE_FIXTURE(
  world, "results wait while too many bytes of results are in flight") {
  how.credit = offer.credit = 1024;
  begin(promising_texts(*this), 5);
  auto requests = request_all(0, 4);
  pass(1ms);
  link(0).hold(); // no receipt arrives
  for (std::size_t i = 0; i < 5; ++i)
    deliver(i, 400);
  auto answered = [&] {
    std::size_t result = 0;
    for (auto each : requests)
      result += client.answer_to(each).count;
    return result;
  };
  CHECK(answered() == 2);
  link(0).let_go();
  run();
  CHECK(answered() == 5);
}

TEST_CASE_FIXTURE(world, "each error that answers a handler completes its "
                         "task, and an answer that cannot be serialised is "
                         "such an error") {
  begin([](scripted&) -> caf::behavior {
    return {[](int x) -> caf::result<caf::message> {
              if (x == 0)
                return caf::make_error(caf::sec::bad_function_call);
              if (x == 1)
                return libpool::make_error(errc::worker_crashed);
              if (x == 2)
                return libpool::make_error(errc::pool_closed);
              return caf::make_message(local_note{x});
            },
            [](const std::string&) {}};
  });
  CHECK(client.ask(pool, 0).error() == caf::sec::bad_function_call);
  CHECK(client.ask(pool, 1).error() == errc::worker_crashed);
  CHECK(client.ask(pool, 2).error() == errc::pool_closed);
  CHECK(client.ask(pool, 3).error() == errc::not_serializable);
  CHECK(client.ask(pool, std::string{"no result"}).is_empty());
  CHECK(count(outcome::completed) == 5);
}

TEST_CASE_FIXTURE(world, "a task that crashes its worker, and the retries of "
                         "the local pool, fails, and others run on the "
                         "replacement") {
  make();
  offer.pool.restart.max = 5;
  SUBCASE("without retries") {}
  SUBCASE("with retries") {
    offer.pool.on_crash = libpool::retry{1};
  }
  join(superstitious);
  auto bad = client.request(pool, 13);
  auto good = submit(4);
  wait(2s);
  CHECK(client.answer_to(bad).error() == errc::worker_crashed);
  CHECK(client.answer_to(good).get<int>() == 8);
  CHECK(count(outcome::failed) == 1);
}

TEST_CASE_FIXTURE(world, "a full local pool gives tasks back, and the node "
                         "begins tasks again when its local pool has room") {
  make();
  offer.pool.workers = offer.pool.capacity.emplace(1);
  join(promising(), 3);
  auto sent = request_all(1, 4);
  CHECK(promises.size() == 1);
  CHECK(state(0).running == 2);
  CHECK(stats().tasks.open() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    deliver(i, static_cast<int>(i));
    wait(10ms);
    CHECK(result_of(sent[i]) == static_cast<int>(i));
  }
  CHECK(count(outcome::completed) == 4);
}

TEST_CASE_FIXTURE(world, "when a deadline of the local pool passes, the task "
                         "ends with the error, and the handler may run on") {
  make();
  offer.pool.deadline = 1s;
  offer.pool.workers = 2;
  join(promising(), 1);
  auto late = submit(1);
  wait(999ms);
  CHECK(!is_answered(late));
  wait(10ms);
  CHECK(client.answer_to(late).error() == errc::deadline_exceeded);
  CHECK(state(0).running == 0);
  auto next = submit(2);
  REQUIRE(promises.size() == 2);
  deliver(0, 7);
  deliver(1, 8);
  CHECK(client.answer_to(late).count == 1);
  CHECK(result_of(next) == 8);
  CHECK(count(outcome::completed) == 2);
  CHECK(state(0).done == 2);
}

TEST_CASE_FIXTURE(
  world, "content that resembles a management request is handled by a worker") {
  begin([](scripted&) -> caf::behavior {
    return {[](caf::sys_atom, caf::get_atom) { return 17; }};
  });
  link(0).garble(std::get<std::string>(libpool::pack(
    system(), caf::make_message(caf::sys_atom{}, caf::get_atom{}))));
  CHECK(client.ask(pool, 1).get<int>() == 17);
}

// -- leaving ------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "an agent that leaves waits at most 10 seconds after "
                         "its last task for the pool to confirm") {
  begin(promising());
  auto request = submit(1);
  auto interrupted = false;
  SUBCASE("when the pool does not confirm") {
    link(0).hold();
  }
  SUBCASE("when its line is down") {
    cut(0);
    interrupted = true;
  }
  auto left = leave(0);
  advance(20s);
  CHECK(!has_ended(0));
  deliver(0, 7);
  advance(9'999ms);
  CHECK(!has_ended(0));
  CHECK(!client.answer_to(left).came());
  advance(1ms);
  CHECK(why_ended(0) == caf::exit_reason::user_shutdown);
  CHECK(client.answer_to(left).error() == caf::sec::request_receiver_down);
  wait(5s);
  CHECK(client.answer_to(request).came());
  CHECK(stats().departed.crashed == (interrupted ? 1 : 0));
}

TEST_CASE_FIXTURE(world, "an agent that leaves while its line is down reports "
                         "its results when the line is up, and ends") {
  begin(promising());
  auto request = submit(1);
  auto left = leave(0);
  cut(0);
  wait(1s);
  deliver(0, 7);
  wait(2s);
  CHECK(!has_ended(0));
  restore(0);
  CHECK(client.answer_to(request).get<int>() == 7);
  CHECK(client.answer_to(left).is_empty());
  CHECK(why_ended(0) == caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(world, "an agent without a session leaves at once") {
  make();
  SUBCASE("before its welcome") {
    on_open = [](test::node_line& line) { line.hold(); };
  }
  SUBCASE("while its line is down") {
    on_open = [](test::node_line& line) { line.cut(); };
  }
  join(adding());
  CHECK(client.answer_to(leave(0)).is_empty());
  CHECK(has_ended(0));
}

// -- ending -------------------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "an exit message ends the agent, its transport and its local pool at once") {
  auto pool_ended = std::make_shared<bool>(false);
  begin([this, pool_ended](scripted& self) -> caf::behavior {
    self.attach_functor([pool_ended] { *pool_ended = true; });
    return promising()(self);
  });
  request_all(1, 1);
  auto left = leave(0);
  kill_node(0);
  CHECK(why_ended(0) == caf::exit_reason::kill);
  CHECK(client.answer_to(left).error() == caf::sec::request_receiver_down);
  CHECK(*pool_ended);
  await_losses();
}

TEST_CASE_FIXTURE(world, "an agent stays alive without a reference to it") {
  begin(adding());
  caf::actor_addr address = agents.at(0).address();
  agents.at(0) = nullptr;
  run();
  CHECK(client.ask(pool, 1).get<int>() == 2);
  agents.at(0) = caf::actor_cast<caf::actor>(address);
  CHECK(agents.at(0));
}

TEST_CASE_FIXTURE(world, "if its local pool ends, an agent reports its tasks, "
                         "leaves, and ends with an error") {
  make();
  scripted* worker = nullptr;
  join([&](scripted& self) -> caf::behavior {
    worker = &self;
    return superstitious(self);
  });
  SUBCASE("because of a crash") {
    auto first = client.request(pool, 13);
    client.request(pool, 13);
    run();
    CHECK(client.answer_to(first).error() == errc::worker_crashed);
  }
  SUBCASE("while it is idle") {
    kill(caf::actor{worker});
    run();
  }
  CHECK(why_ended(0) == errc::pool_closed);
  CHECK(stats().departed.crashed == 0);
  CHECK(stats().departed.ended == 1);
  join(superstitious);
}

TEST_CASE_FIXTURE(world, "tasks that have not begun go back to the pool when "
                         "a local pool loses its last worker") {
  make();
  offer.pool.workers = 1;
  join(superstitious, 2);
  auto crashes = client.request(pool, 13);
  auto waits = client.request(pool, 1);
  run();
  CHECK(why_ended(0) == errc::pool_closed);
  CHECK(client.answer_to(crashes).error() == errc::worker_crashed);
  CHECK(!client.answer_to(waits).came());
  join(superstitious);
  CHECK(client.answer_to(waits).get<int>() == 2);
}

TEST_CASE("the end of the system ends an agent") {
  std::optional<world> system;
  system.emplace();
  system->leave_check_to_test();
  system->make();
  system->join(superstitious);
  system->link(0).pool = nullptr; // the agent does not hear of the pool's end
  auto why = std::make_shared<caf::error>();
  system->agents.at(0)->attach_functor(
    [why](const caf::error& x) { *why = x; });
  system->agents.clear();
  CHECK(!*why);
  system.reset();
  CHECK(*why == caf::exit_reason::user_shutdown); // not of the local pool's end
}

TEST_CASE_FIXTURE(world, "an agent goes on if another program ends the actor "
                         "SpawnServ of CAF") {
  begin(adding());
  system().await_actors_before_shutdown(true);
  exit(caf::actor_cast<caf::actor>(system().spawn_serv()),
       caf::exit_reason::user_shutdown);
  run();
  CHECK(!has_ended(0));
  system().await_actors_before_shutdown(false);
}

TEST_CASE_FIXTURE(
  world,
  "an agent answers unknown requests with an error, even after its end") {
  begin(adding());
  const auto& agent = agents.at(0);
  CHECK(client.ask(agent, 42).error() == caf::sec::unexpected_message);
  kill_node(0);
  CHECK(client.ask(agent, 42).error() == caf::sec::request_receiver_down);
  CHECK(client.answer_to(leave(0)).error() == caf::sec::request_receiver_down);
  await_losses();
}

} // namespace agents_tests
