/// Messages whose results go on to further actors, on behalf of their senders.

#include "libpool/pool.hpp"
#include "support/managed_world.hpp"
#include "support/pipeline_world.hpp"
#include "support/direct_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace forwarding_chains_tests {

using libpool::actor_pool;
using test::numbers;
using test::probe;
using test::scripted;

TEST_CASE_FIXTURE(test::hand_cranked,
                  "direct pools keep the further stages of a message") {
  probe client{*this};
  for (auto& how : {actor_pool::round_robin(), actor_pool::random(1),
                    actor_pool::broadcast()}) {
    auto ws = test::probes(*this, 2);
    auto pool = actor_pool::make(system(), 2, test::one_by_one(ws), how);
    caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
      caf::make_mailbox_element(client.pointer(), caf::make_message_id(9),
                                {client.pointer()}, 5),
      nullptr);
    std::size_t kept = 0;
    for (auto& w : ws)
      for (auto& element : w->inbox)
        kept += element->stages.size();
    CHECK(kept == ws[0].received() + ws[1].received());
    CHECK(kept > 0);
  }
}

TEST_CASE_FIXTURE(test::direct_world,
                  "the result of split_join goes to the next stage") {
  auto pool = joining();
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    caf::make_mailbox_element(client.pointer(), caf::make_message_id(5),
                              {ws[2].pointer()}, numbers{1, 0, 0}),
    nullptr);
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
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    caf::make_mailbox_element(client.pointer(), caf::make_message_id(9),
                              {stage.pointer()}, 5),
    nullptr);
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
  caf::anon_send_exit(composed, caf::exit_reason::user_shutdown);
}

} // namespace forwarding_chains_tests
