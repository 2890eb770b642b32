/// How the handle of `submit_only` ends.

#include "support/gated_world.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

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
  stop(pool);
  workers[0].answer(1, 11); // too late
  CHECK(client.answer_to(numbers[0]).get<int>() == 10);
  for (auto i : {1U, 2U, 3U}) {
    CHECK(client.answer_to(numbers[i]).count == 1);
    CHECK(client.answer_to(numbers[i]).error() == errc::pool_closed);
    CHECK(client->inbox.back()->sender
          == caf::actor_cast<caf::strong_actor_ptr>(gate));
  }
  CHECK_FALSE(is_alive(gate));
}

TEST_CASE_FIXTURE(
  gated_world,
  "the end of the last worker ends the submit_only handle with the pool") {
  auto number = client.request(gate, 7);
  for (auto& worker : workers)
    worker.die();
  CHECK(client.answer_to(number).error() == errc::pool_closed);
  CHECK_FALSE(is_alive(gate));
}

TEST_CASE_FIXTURE(gated_world, "closing a submit_only handle fails the "
                               "requests in flight, and the pool continues") {
  auto under_way = client.request(gate, 7);
  actor_pool::close(gate);
  CHECK(client.answer_to(under_way).error() == errc::pool_closed);
  workers[0].answer(0, 49);
  CHECK(client.answer_to(under_way).count == 1);
  CHECK(has_workers());
  auto direct = client.request(pool, 8);
  workers[1].answer(0, 64);
  CHECK(client.answer_to(direct).get<int>() == 64);
}

TEST_CASE_FIXTURE(gated_world, "a closed submit_only handle refuses messages "
                               "like any actor that has ended") {
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
}

TEST_CASE_FIXTURE(gated_world,
                  "a closed submit_only handle does not keep its pool alive") {
  actor_pool::close(gate);
  auto address = pool.address();
  client->inbox.clear();
  pool = nullptr;
  run();
  CHECK(caf::actor_cast<caf::actor>(address) == nullptr);
}

TEST_CASE_FIXTURE(gated_world,
                  "an open submit_only handle keeps its pool alive") {
  pool = nullptr;
  run();
  auto number = client.request(gate, 7);
  workers[0].answer(0, 49);
  CHECK(client.answer_to(number).get<int>() == 49);
}

TEST_CASE_FIXTURE(
  gated_world,
  "a submit_only handle made for a pool that has ended has ended") {
  stop(pool);
  auto late = actor_pool::submit_only(pool);
  CHECK_FALSE(is_alive(late));
  CHECK(client.ask(late, 7).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(gated_world,
                  "the end of one submit_only handle does not affect another "
                  "submit_only handle of the pool") {
  auto other = actor_pool::submit_only(pool);
  actor_pool::close(gate);
  auto number = client.request(other, 7);
  workers[0].answer(0, 49);
  CHECK(client.answer_to(number).get<int>() == 49);
}

TEST_CASE_FIXTURE(test::managed_world,
                  "a drained managed pool settles all messages from the "
                  "submit_only handle before the submit_only handle ends") {
  auto seen = std::make_shared<std::vector<int>>();
  populate(1, test::doubling(seen));
  auto gate = actor_pool::submit_only(pool);
  std::vector<std::uint64_t> numbers;
  for (auto i = 0; i < 10; ++i)
    numbers.push_back(client.request(gate, i));
  actor_pool::drain(pool);
  run();
  for (auto i = 0U; i < numbers.size(); ++i)
    CHECK(client.answer_to(numbers[i]).get<int>() == static_cast<int>(2 * i));
  CHECK(gated_world::is_alive(gate) == false);
}

} // namespace gate_ending_tests
