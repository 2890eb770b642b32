#include "support/split_join_world.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace split_join_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::gather_options;
using libpool::worker_tasks;
using test::append;
using test::numbers;
using test::one_per_worker;
using world = test::split_join_world;

TEST_CASE_FIXTURE(world,
                  "the default split gives the whole message to every worker") {
  auto pool = pool_with(actor_pool::split_join<numbers>(append));
  auto number = client.request(pool, 7);
  for (auto i : {2, 0, 1}) {
    auto& w = ws[static_cast<std::size_t>(i)];
    REQUIRE(w.received() == 1);
    CHECK(libpool::content_of(*w->inbox[0]).get_as<int>(0) == 7);
    CHECK_FALSE(client.answer_to(number).came());
    w.answer(0, 10 * i);
  }
  auto answer = client.answer_to(number);
  CHECK(answer.count == 1);
  CHECK(answer.get<numbers>() == numbers{20, 0, 10}); // in order of arrival
  CHECK(collector_is_gone(pool, 0));
}

TEST_CASE_FIXTURE(
  world, "a worker for which split returns an empty task gets no message") {
  auto pool = joining();
  auto number = client.request(pool, numbers{5, 0, 6});
  REQUIRE(test::received(ws) == std::vector<std::size_t>{1, 0, 1});
  CHECK(libpool::content_of(*ws[2]->inbox[0]).get_as<int>(0) == 6);
  ws[0].answer(0, 1);
  ws[2].answer(0, 2);
  CHECK(client.answer_to(number).get<numbers>() == numbers{1, 2});
}

TEST_CASE_FIXTURE(
  world, "a message without tasks is answered with the initial value at once") {
  auto pool = pool_with(
    actor_pool::split_join<numbers>(append, one_per_worker, numbers{42}));
  CHECK(client.ask(pool, numbers{0, 0, 0}).get<numbers>() == numbers{42});
}

TEST_CASE_FIXTURE(world,
                  "results of different messages are joined separately") {
  auto pool = joining();
  auto first = client.request(pool, numbers{1, 1, 0});
  auto second = client.request(pool, numbers{2, 2, 0});
  ws[0].answer(1, 20);
  ws[0].answer(0, 10);
  ws[1].answer(0, 11);
  ws[1].answer(1, 21);
  CHECK(client.answer_to(first).get<numbers>() == numbers{10, 11});
  CHECK(client.answer_to(second).get<numbers>() == numbers{20, 21});
}

TEST_CASE_FIXTURE(
  world, "a worker that sends its result instead of answering counts once") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 0});
  ws[0].send(caf::actor_cast<caf::actor>(ws[0]->inbox[0]->sender), 10);
  ws[0].answer(0, 99); // too late
  ws[1].answer(0, 11);
  CHECK(client.answer_to(number).get<numbers>() == numbers{10, 11});
}

TEST_CASE_FIXTURE(world,
                  "split_join joins only the first answer of each worker") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 0});
  ws[0].answer(0, 10);
  ws[0].answer(0, 12);
  CHECK_FALSE(client.answer_to(number).came());
  ws[1].answer(0, 11);
  CHECK(client.answer_to(number).get<numbers>() == numbers{10, 11});
}

TEST_CASE("options of split_join are checked when the policy is made") {
  gather_options options;
  options.timeout = 0ns;
  CHECK_THROWS_AS(
    actor_pool::split_join<numbers>(append, one_per_worker, numbers{}, options),
    std::invalid_argument);
}

} // namespace split_join_tests
