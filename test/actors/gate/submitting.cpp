/// Work that goes through the handle of `submit_only`, and its answers.

#include "gated_world.hpp"
#include "support/managed_world.hpp"

namespace gate_submitting_tests {

using libpool::actor_pool;
using libpool::errc;
using test::gated_world;
using test::managed_world;

TEST_CASE_FIXTURE(gated_world,
                  "a submit_only handle passes a request, and its single "
                  "answer comes from the submit_only handle") {
  test::probe other{*this};
  auto number = other.request(gate, 7);
  CHECK(test::numbers_of(workers[0]) == std::vector{7});
  auto expected = 1U;
  SUBCASE("a result") {
    workers[0].answer(0, 49);
    workers[0].answer(0, 50);
    CHECK(other.answer_to(number).get<int>() == 49);
  }
  SUBCASE("a result after a message") {
    workers[0].send(sender_of_first(), 8);
    workers[0].answer(0, 49);
    CHECK(other.answer_to(number).get<int>() == 49);
    expected = 2;
  }
  SUBCASE("an error of a worker") {
    workers[0].answer(0, caf::make_error(caf::sec::runtime_error));
    CHECK(other.answer_to(number).error() == caf::sec::runtime_error);
  }
  SUBCASE("an error, because the worker drops the request") {
    workers[0]->inbox.clear();
    CHECK(other.answer_to(number).error() == libpool::dropped_request());
  }
  CHECK(other.answer_to(number).count == 1);
  CHECK(other.received() == expected);
  CHECK(all_from_gate(other));
  CHECK(counts().passed == 1);
  CHECK(counts().refused == 0);
}

TEST_CASE_FIXTURE(gated_world,
                  "an error of the pool comes from the submit_only handle") {
  client.remove_all(pool);
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
  CHECK(test::numbers_of(other) == std::vector{8, 9});
  CHECK_FALSE(other->inbox[0]->mid.is_response());
  CHECK(all_from_gate(other));
}

TEST_CASE_FIXTURE(gated_world, "a message through a submit_only handle does "
                               "not show the client's address to the worker") {
  client.request(gate, 7);
  client.send(gate, 8);
  for (auto& worker : workers) {
    REQUIRE(worker.received() == 1);
    CHECK(worker->inbox[0]->sender != nullptr);
    CHECK(worker->inbox[0]->sender != client.pointer());
    CHECK_FALSE(is_from_gate(*worker->inbox[0]));
  }
  // The worker cannot send requests to the client.
  auto before = client.received();
  auto asked = workers[0].request(sender_of_first(), 1);
  CHECK(workers[0].answer_to(asked).error() == errc::not_work);
  CHECK(client.received() == before);
  // A message without a sender passes unchanged.
  caf::anon_send(gate, 9);
  CHECK(workers[0]->inbox.back()->sender == nullptr);
  CHECK(counts().passed == 3);
}

TEST_CASE_FIXTURE(gated_world,
                  "a submit_only handle without references ends when its "
                  "requests are answered, and leaves nothing in its pool") {
  auto number = client.request(gate, 7);
  auto address = gate.address();
  gate = nullptr;
  workers[0].answer(0, 49);
  CHECK(client.answer_to(number).get<int>() == 49);
  workers[0]->inbox.clear();
  client->inbox.clear();
  CHECK(is_gone(address));
  stop(pool); // tells nobody who is gone
}

TEST_CASE_FIXTURE(managed_world,
                  "a managed pool settles messages from the submit_only "
                  "handle, and cancels them if their client has terminated") {
  SUBCASE("if replies are intercepted") {
    options.deadline = std::chrono::hours{1};
  }
  SUBCASE("if replies are not intercepted") {
    // the options are the default ones
  }
  populate(1, doubling());
  auto gate = actor_pool::submit_only(pool);
  test::probe mortal{*this};
  client.send(gate, 0); // keeps the worker busy
  mortal.request(gate, 1);
  auto number = client.request(gate, 2);
  mortal.die();
  run();
  CHECK(doubled == std::vector<int>{0, 2});
  CHECK(client.answer_to(number).get<int>() == 4);
  CHECK(books().cancelled == 1);
  for (auto i = 1; i <= 100; ++i)
    CHECK(client.ask(gate, i).get<int>() == 2 * i);
  CHECK(books().completed == 102);
  CHECK(actor_pool::submissions_of(gate).passed == 103);
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
  stop(fair);
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
  stop(caf::actor_cast<caf::actor>(typed_pool));
}

TEST_CASE_FIXTURE(gated_world,
                  "only pools and pipelines can have submit_only handles") {
  using wrong = std::invalid_argument;
  CHECK_THROWS_WITH_AS(actor_pool::submit_only(client.handle()),
                       "libpool: actor_pool::submit_only: the handle must be a "
                       "pool or a pipeline of this process",
                       wrong);
  CHECK_THROWS_AS(actor_pool::submit_only(caf::actor{}), wrong);
  CHECK_THROWS_AS(actor_pool::submit_only(gate), wrong);
  CHECK_THROWS_WITH_AS(actor_pool::submissions_of(pool),
                       "libpool: actor_pool::submissions_of: the handle was "
                       "not made by submit_only",
                       wrong);
  CHECK_THROWS_AS(actor_pool::close(pool), wrong);
  CHECK_THROWS_AS(actor_pool::stats(gate), wrong);
  CHECK_THROWS_AS(actor_pool::drain(gate), wrong);
}

} // namespace gate_submitting_tests
