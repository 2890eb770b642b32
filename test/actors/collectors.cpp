#include "support/brittle.hpp"
#include "support/split_join_world.hpp"

#include <doctest/doctest.h>

namespace collectors_tests {
using namespace std::chrono_literals;
using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using test::numbers;
using world = test::split_join_world;

TEST_CASE_FIXTURE(world,
                  "a timer left behind by a recycled collector has no effect") {
  gather_options options;
  options.timeout = 10ms;
  options.join_what_came = true;
  auto pool = joining(options);
  client.request(pool, numbers{1, 0, 0});
  ws[0].answer(0, 10); // where the clock cannot be told
  ws[0]->inbox.clear();
  client->inbox.clear();
  pass(5ms);
  SUBCASE("on a later message") {
    auto number = client.request(pool, numbers{1, 0, 0});
    advance(5ms);
    CHECK_FALSE(client.answer_to(number).came());
    advance(5ms);
    CHECK(client.answer_to(number).count == 1);
  }
  SUBCASE("on a collector that is idle") {
    advance(20ms);
    CHECK(client.received() == 0);
  }
}

TEST_CASE_FIXTURE(world, "a pool reuses the actor that joins results once the "
                         "last worker that owes a result has terminated") {
  auto pool = joining();
  auto first = client.request(pool, numbers{1, 1, 0});
  ws[0].answer(0, caf::message{}); // with nothing: a result may still come
  ws[1].answer(0, caf::make_error(caf::sec::runtime_error));
  CHECK(client.answer_to(first).error() == errc::worker_failed);
  auto by = ws[0]->inbox[0]->sender->address();
  ws[0].die();
  for (auto& w : ws)
    w->inbox.clear();
  client->inbox.clear();
  client.request(pool, numbers{0, 1}); // of the remaining workers
  REQUIRE(ws[2].received() == 1);
  CHECK(ws[2]->inbox[0]->sender->address() == by);
}

TEST_CASE_FIXTURE(
  world,
  "a collector of a pool that has ended is destroyed after a late answer") {
  auto pool = joining();
  client.request(pool, numbers{1, 1, 0});
  ws[0].answer(0, caf::make_error(caf::sec::runtime_error));
  auto address = ws[1]->inbox[0]->sender->address();
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  pool = nullptr;
  run();
  ws[1].answer(0, 11);
  for (auto& w : ws)
    w->inbox.clear();
  client->inbox.clear();
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
}

TEST_CASE_FIXTURE(
  world,
  "a request is answered even if the move of an answer to a part throws") {
  auto pool = pool_with(
    actor_pool::split_join<numbers>(test::append, test::one_per_worker));
  auto number = client.request(pool, numbers{1, 1, 0});
  try {
    auto& e = *ws[0]->inbox[0];
    auto el = libpool::make_element(ws[0].pointer(), e.mid.response_id(),
                                    test::brittle{3});
    test::brittle::breaks = true;
    e.sender->enqueue(std::move(el), nullptr);
  } catch (std::exception& ex) {
    CAPTURE(ex.what());
  }
  test::brittle::breaks = false;
  ws[1].answer(0, 11);
  CHECK(client.answer_to(number).came());
  advance(1s);
}

} // namespace collectors_tests
