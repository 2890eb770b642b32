/// How the handle of `submit_only` ends.

#include "gated_world.hpp"
#include "support/managed_world.hpp"

namespace gate_ending_tests {

using libpool::actor_pool;
using libpool::errc;
using test::gated_world;

TEST_CASE_FIXTURE(gated_world,
                  "when a pool ends, its submit_only handle ends, and answers "
                  "each request in flight once with pool_closed") {
  std::vector<std::uint64_t> numbers;
  for (auto i = 0; i < 4; ++i)
    numbers.push_back(client.request(gate, i));
  workers[0].answer(0, 10);
  SUBCASE("the pool is stopped") {
    stop(pool);
  }
  SUBCASE("its last worker terminates") {
    for (auto& worker : workers)
      worker.die();
  }
  workers[0].answer(1, 11); // too late
  CHECK(client.answer_to(numbers[0]).get<int>() == 10);
  for (auto i : {1U, 2U, 3U}) {
    CHECK(client.answer_to(numbers[i]).count == 1);
    CHECK(client.answer_to(numbers[i]).error() == errc::pool_closed);
    CHECK(is_from_gate(*client->inbox.back()));
  }
  CHECK_FALSE(is_alive(gate));
  // One that is made for the ended pool has ended.
  auto late = actor_pool::submit_only(pool);
  CHECK_FALSE(is_alive(late));
  CHECK(client.ask(late, 7).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(gated_world, "closing a submit_only handle fails the "
                               "requests in flight, and the pool and its other "
                               "handles continue") {
  auto other = actor_pool::submit_only(pool);
  auto under_way = client.request(gate, 7);
  actor_pool::close(gate);
  CHECK(client.answer_to(under_way).error() == errc::pool_closed);
  workers[0].answer(0, 49);
  CHECK(client.answer_to(under_way).count == 1);
  CHECK(has_workers());
  for (auto& way : {pool, other}) {
    auto number = client.request(way, 8);
    for (auto& worker : workers)
      worker.answer(worker.received() - 1, 64);
    CHECK(client.answer_to(number).get<int>() == 64);
  }
}

TEST_CASE_FIXTURE(gated_world, "a closed submit_only handle refuses messages "
                               "like any actor that has ended, and does not "
                               "keep its pool alive") {
  actor_pool::close(gate);
  actor_pool::close(gate);
  auto answer = client.ask(gate, 7);
  CHECK(answer.count == 1);
  CHECK(answer.error() == caf::sec::request_receiver_down);
  client.send(gate, 7);
  caf::anon_send(gate, 7);
  CHECK(handled() == 0);
  CHECK(counts().passed == 0);
  CHECK(counts().refused == 3);
  auto address = pool.address();
  client->inbox.clear();
  pool = nullptr;
  run();
  CHECK(is_gone(address));
}

TEST_CASE_FIXTURE(gated_world,
                  "an open submit_only handle keeps its pool alive") {
  pool = nullptr;
  run();
  auto number = client.request(gate, 7);
  workers[0].answer(0, 49);
  CHECK(client.answer_to(number).get<int>() == 49);
}

TEST_CASE_FIXTURE(test::managed_world,
                  "a drained managed pool settles all messages from the "
                  "submit_only handle before the submit_only handle ends") {
  populate(1, doubling());
  auto gate = actor_pool::submit_only(pool);
  std::vector<std::uint64_t> numbers;
  for (auto i = 0; i < 10; ++i)
    numbers.push_back(client.request(gate, i));
  actor_pool::drain(pool);
  run();
  for (auto i = 0U; i < numbers.size(); ++i)
    CHECK(client.answer_to(numbers[i]).get<int>() == static_cast<int>(2 * i));
  CHECK_FALSE(gated_world::is_alive(gate));
}

} // namespace gate_ending_tests
