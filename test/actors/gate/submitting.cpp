/// Work that goes through the handle of `submit_only`, and its answers.

#include "support/gated_world.hpp"
#include "support/managed_world.hpp"
#include "support/port/ways.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gate_submitting_tests {

using libpool::actor_pool;
using libpool::errc;
using test::gated_world;
using test::managed_world;

namespace {

/// A managed pool behind a gate.
struct managed_gated_world : managed_world {
  void open() {
    populate(1, test::doubling(seen));
    gate = actor_pool::submit_only(pool);
  }

  std::shared_ptr<std::vector<int>> seen = std::make_shared<std::vector<int>>();
  caf::actor gate;

  ~managed_gated_world() {
    gate = nullptr;
  }
};

} // namespace

TEST_CASE_FIXTURE(gated_world,
                  "a submit_only handle passes a request, and its single "
                  "answer comes from the submit_only handle") {
  auto number = client.request(gate, 7);
  REQUIRE(workers[0].received() == 1);
  CHECK(test::copy_of_content(*workers[0]->inbox[0]).get_as<int>(0) == 7);
  workers[0].answer(0, 49);
  workers[0].answer(0, 50);
  auto answer = client.answer_to(number);
  CHECK(answer.count == 1);
  CHECK(answer.get<int>() == 49);
  CHECK(client.received() == 1 + 2); // two for PUT
  CHECK(client->inbox.back()->sender
        == caf::actor_cast<caf::strong_actor_ptr>(gate));
  CHECK(counts().passed == 1);
  CHECK(counts().refused == 0);
}

TEST_CASE_FIXTURE(gated_world,
                  "an error of a worker comes from the submit_only handle") {
  test::probe other{*this};
  auto number = other.request(gate, 7);
  workers[0].answer(0, caf::make_error(caf::sec::runtime_error));
  CHECK(other.answer_to(number).error() == caf::sec::runtime_error);
  CHECK(all_from_gate(other));
}

TEST_CASE_FIXTURE(gated_world,
                  "an error of the pool comes from the submit_only handle") {
  for (auto& worker : workers)
    client.ask(pool, caf::sys_atom{}, caf::delete_atom{}, worker.handle());
  test::probe other{*this};
  auto number = other.request(gate, 7);
  CHECK(other.answer_to(number).error() == errc::no_workers);
  CHECK(all_from_gate(other));
}

TEST_CASE_FIXTURE(gated_world,
                  "the sender of an asynchronous message gets all replies of "
                  "the worker from the submit_only handle") {
  test::probe other{*this};
  other.send(gate, 7);
  workers[0].answer(0, 8);
  workers[0].answer(0, 9);
  REQUIRE(other.received() == 2);
  CHECK_FALSE(other->inbox[0]->mid.is_response());
  CHECK(test::copy_of_content(*other->inbox[1]).get_as<int>(0) == 9);
  CHECK(all_from_gate(other));
}

TEST_CASE_FIXTURE(
  gated_world,
  "a message without a sender passes the submit_only handle unchanged") {
  caf::anon_send(gate, 7);
  REQUIRE(workers[0].received() == 1);
  CHECK(workers[0]->inbox[0]->sender == nullptr);
  CHECK(counts().passed == 1);
}

TEST_CASE_FIXTURE(gated_world, "a message through a submit_only handle does "
                               "not show the client's address to the worker") {
  client.request(gate, 7);
  client.send(gate, 8);
  for (auto& worker : workers) {
    REQUIRE(worker.received() == 1);
    CHECK(worker->inbox[0]->sender != nullptr);
    CHECK(worker->inbox[0]->sender != client.pointer());
    CHECK(worker->inbox[0]->sender->get()
          != caf::actor_cast<caf::abstract_actor*>(gate));
  }
}

TEST_CASE_FIXTURE(gated_world,
                  "a message that a worker sends to the client before "
                  "answering arrives from the submit_only handle") {
  test::probe other{*this};
  auto number = other.request(gate, 7);
  workers[0].send(caf::actor_cast<caf::actor>(workers[0]->inbox[0]->sender), 8);
  workers[0].answer(0, 49);
  CHECK(other.received() == 2);
  CHECK(other.answer_to(number).get<int>() == 49);
  CHECK(all_from_gate(other));
}

TEST_CASE_FIXTURE(gated_world, "a worker cannot send requests to the client") {
  client.request(gate, 7);
  auto before = client.received();
  auto asked = workers[0].request(
    caf::actor_cast<caf::actor>(workers[0]->inbox[0]->sender), 1);
  CHECK(workers[0].answer_to(asked).error() == errc::not_work);
  CHECK(client.received() == before);
}

TEST_CASE_FIXTURE(gated_world,
                  "a request that is dropped is answered with an error") {
  auto number = client.request(gate, 7);
  workers[0]->inbox.clear();
  auto answer = client.answer_to(number);
  CHECK(answer.count == 1);
  CHECK(answer.error() == libpool::dropped_request());
}

TEST_CASE_FIXTURE(gated_world,
                  "a request to a submit_only handle is answered even if the "
                  "last reference to the handle is released") {
  auto number = client.request(gate, 7);
  gate = nullptr;
  workers[0].answer(0, 49);
  CHECK(client.answer_to(number).get<int>() == 49);
}

TEST_CASE_FIXTURE(
  gated_world,
  "a submit_only handle without handles ends, and leaves nothing in its pool") {
  client.ask(gate, 7);
  workers[0].answer(0, 49);
  workers[0]->inbox.clear();
  client->inbox.clear();
  auto address = gate.address();
  gate = nullptr;
  CHECK(caf::actor_cast<caf::actor>(address) == nullptr);
  stop(pool); // tells nobody who is gone
}

TEST_CASE_FIXTURE(
  managed_gated_world,
  "a managed pool settles each message that passed the submit_only handle") {
  open();
  for (auto i = 1; i <= 100; ++i)
    CHECK(client.ask(gate, i).get<int>() == 2 * i);
  client.send(gate, 101);
  run();
  CHECK(books().completed == 101);
  CHECK(actor_pool::submissions_of(gate).passed == 101);
  CHECK(seen->size() == 101);
}

TEST_CASE_FIXTURE(managed_gated_world,
                  "a managed pool cancels requests from the submit_only handle "
                  "if their client has terminated") {
  SUBCASE("if replies are intercepted") {
    options.deadline = std::chrono::hours{1};
  }
  SUBCASE("if replies are not intercepted") {
    // the options are the default ones
  }
  open();
  test::probe mortal{*this};
  client.send(gate, 0); // keeps the worker busy
  mortal.request(gate, 1);
  auto number = client.request(gate, 2);
  mortal.die();
  run();
  CHECK(*seen == std::vector<int>{0, 2});
  CHECK(client.answer_to(number).get<int>() == 4);
  CHECK(books().cancelled == 1);
}

TEST_CASE_FIXTURE(managed_world,
                  "fair_queuing assigns a message sent through a submit_only "
                  "handle to the flow of the client") {
  auto fair = actor_pool::make(
    system(), 1, [this] { return system().spawn<test::doubler>(); },
    actor_pool::fair_queuing());
  auto gate = actor_pool::submit_only(fair);
  test::probe other{*this};
  for (auto i = 0; i < 5; ++i) {
    client.request(gate, i);
    other.request(gate, i);
  }
  CHECK(actor_pool::stats(fair).flows.size() == 2);
  run();
  exit(fair, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(
  gated_world,
  "the typed handle of a submit_only handle has the type of its pool") {
  using typed = caf::typed_actor<test::signature<int, int>>;
  auto worker = [this] {
    return system().spawn([](typed::pointer) -> typed::behavior_type {
      return {[](int x) { return 2 * x; }};
    });
  };
  auto typed_pool = libpool::spawn_typed_pool<typed>(
    system(), 1, worker, actor_pool::shared_queue());
  typed typed_gate = actor_pool::submit_only(typed_pool);
  CHECK(client.ask(caf::actor_cast<caf::actor>(typed_gate), 4).get<int>() == 8);
  CHECK(actor_pool::submissions_of(typed_gate).passed == 1);
  actor_pool::close(typed_gate);
  caf::anon_send_exit(typed_pool, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(gated_world,
                  "only pools and pipelines can have submit_only handles") {
  CHECK_THROWS_WITH_AS(actor_pool::submit_only(client.handle()),
                       "libpool: actor_pool::submit_only: the handle must be a "
                       "pool or a pipeline of this process",
                       std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::submit_only(caf::actor{}), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::submit_only(gate), std::invalid_argument);
  CHECK_THROWS_WITH_AS(actor_pool::submissions_of(pool),
                       "libpool: actor_pool::submissions_of: the handle was "
                       "not made by submit_only",
                       std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::close(pool), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::stats(gate), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::drain(gate), std::invalid_argument);
}

} // namespace gate_submitting_tests
