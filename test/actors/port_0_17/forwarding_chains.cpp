/// Messages whose results go on to further actors, on behalf of their senders.

#include "support/direct_world.hpp"
#include "support/managed_world.hpp"
#include "support/pipeline_world.hpp"

namespace forwarding_chains_tests {

using libpool::actor_pool;
using test::numbers;
using test::probe;
using test::scripted;

namespace {

/// Sends `x` as a request of `client` whose answer goes on to `stage`.
template <class T>
void send(const probe& client, const caf::actor& to, const probe& stage,
          const T& x) {
  caf::actor_cast<caf::abstract_actor*>(to)->enqueue(
    caf::make_mailbox_element(client.pointer(), caf::make_message_id(9),
                              {stage.pointer()}, x),
    nullptr);
}

} // namespace

TEST_CASE_FIXTURE(test::direct_world,
                  "direct pools keep the further stages of a message") {
  for (auto& how : {actor_pool::round_robin(), actor_pool::random(1),
                    actor_pool::broadcast()}) {
    send(client, pool_with(how), client, 5);
    std::size_t received = 0;
    for (auto& w : ws)
      for (auto& element : w->inbox) {
        CHECK(element->stages.size() == 1);
        ++received;
      }
    CHECK(received > 0);
    forget();
  }
}

TEST_CASE_FIXTURE(test::direct_world,
                  "the result of split_join goes to the next stage") {
  auto pool = joining();
  send(client, pool, ws[2], numbers{1, 0, 0});
  REQUIRE(ws[0].received() == 1);
  ws[0].answer(0, 10);
  REQUIRE(ws[2].received() == 1); // the next stage, on the client's behalf
  auto& onward = *ws[2]->inbox[0];
  CHECK(onward.sender == client.pointer());
  CHECK(onward.mid.is_request());
  CHECK(onward.stages.empty());
  CHECK(libpool::content_of(onward).get_as<numbers>(0) == numbers{10});
}

TEST_CASE_FIXTURE(test::managed_world,
                  "a managed pool keeps the further stages of a message") {
  auto seen = std::make_shared<std::vector<std::size_t>>();
  populate(1, [seen](scripted& self) -> caf::behavior {
    return {[seen, &self](int x) {
      seen->push_back(self.current_forwarding_stack().size());
      return 2 * x;
    }};
  });
  probe stage{*this};
  send(client, pool, stage, 5);
  run();
  CHECK(*seen == std::vector<std::size_t>{1});
  REQUIRE(stage.received() == 1);
  CHECK(stage->inbox.at(0)->mid.is_request());
  CHECK(stage->inbox.at(0)->sender == client.pointer());
  CHECK(stage->inbox.at(0)->content().get_as<int>(0) == 10);
}

TEST_CASE_FIXTURE(
  test::pipeline_world,
  "an answer of a pipeline goes on to the next actor of a composition") {
  spawn(libpool::function_stage("double", [](int x) { return 2 * x; }));
  caf::actor composed = system().spawn<test::doubler>() * line;
  CHECK(client.ask(composed, 3).get<int>() == 12);
  stop(composed);
}

} // namespace forwarding_chains_tests
