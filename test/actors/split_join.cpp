#include "support/brittle.hpp"
#include "support/direct_world.hpp"

namespace split_join_tests {

using namespace std::chrono_literals;
using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using test::append;
using test::numbers;
using test::one_per_worker;
using world = test::direct_world;

TEST_CASE_FIXTURE(world,
                  "the default split gives the whole message to every worker") {
  auto pool = pool_with(actor_pool::split_join<numbers>(append));
  auto number = client.request(pool, 7);
  auto joined_by = collector(0).address();
  for (auto i : {2, 0, 1}) {
    auto& w = ws[static_cast<std::size_t>(i)];
    CHECK(test::numbers_of(w) == numbers{7});
    CHECK_FALSE(client.answer_to(number).came());
    w.answer(0, 10 * i);
  }
  auto answer = client.answer_to(number);
  CHECK(answer.count == 1);
  CHECK(answer.get<numbers>() == numbers{20, 0, 10}); // in order of arrival
  CHECK(goes_with(pool, joined_by));
}

TEST_CASE_FIXTURE(
  world, "a worker for which split returns an empty task gets no message") {
  auto pool = pool_with(
    actor_pool::split_join<numbers>(append, one_per_worker, numbers{42}));
  auto number = client.request(pool, numbers{5, 0, 6});
  CHECK(test::received(ws) == std::vector<std::size_t>{1, 0, 1});
  CHECK(test::numbers_of(ws[2]) == numbers{6});
  ws[0].answer(0, 1);
  ws[2].answer(0, 2);
  CHECK(client.answer_to(number).get<numbers>() == numbers{42, 1, 2});
  // Without any task, the initial value is the answer, at once.
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

TEST_CASE_FIXTURE(world,
                  "split_join joins only the first result of each worker") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 0});
  SUBCASE("an answer") {
    ws[0].answer(0, 10);
  }
  SUBCASE("a message that it sends") {
    ws[0].send(collector(0), 10);
  }
  SUBCASE("an answer after an exit message") {
    ws[0].send(collector(0),
               caf::exit_msg{ws[0]->address(), caf::exit_reason::kill});
    ws[0].answer(0, 10);
  }
  ws[0].answer(0, 99);
  ws[0].die(); // its part is complete
  CHECK_FALSE(client.answer_to(number).came());
  ws[1].answer(0, 11);
  CHECK(client.answer_to(number).get<numbers>() == numbers{10, 11});
}

TEST_CASE_FIXTURE(
  world, "a worker that returns an empty answer may still send its result") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 0});
  ws[0].answer(0, caf::message{});
  ws[1].answer(0, 11);
  CHECK_FALSE(client.answer_to(number).came());
  numbers expected{11};
  SUBCASE("and sends it") {
    ws[0].send(collector(0), 10);
    expected.push_back(10);
  }
  SUBCASE("and has finished when it drops the request") {
    ws[0]->inbox.clear();
    ws[1]->inbox.clear();
  }
  SUBCASE("and has finished when it terminates") {
    ws[0].die();
  }
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<numbers>() == expected);
}

TEST_CASE("options of split_join are checked when the policy is made") {
  gather_options options;
  options.timeout = 0ns;
  CHECK_THROWS_AS(
    actor_pool::split_join<numbers>(append, one_per_worker, numbers{}, options),
    std::invalid_argument);
}

TEST_CASE_FIXTURE(world,
                  "a timer left behind by a recycled collector has no effect") {
  gather_options options;
  options.timeout = 10ms;
  options.join_what_came = true;
  auto pool = joining(options);
  client.request(pool, numbers{1, 0, 0});
  ws[0].answer(0, 10); // where the clock cannot be told
  forget();
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
  auto by = collector(0).address();
  ws[0].die();
  forget();
  client.request(pool, numbers{0, 1}); // of the remaining workers
  REQUIRE(ws[2].received() == 1);
  CHECK(collector(2).address() == by);
}

TEST_CASE_FIXTURE(
  world,
  "a collector of a pool that has ended is destroyed after a late answer") {
  auto pool = joining();
  client.request(pool, numbers{1, 1, 0});
  ws[0].answer(0, caf::make_error(caf::sec::runtime_error));
  auto address = collector(1).address();
  stop(std::exchange(pool, nullptr));
  ws[1].answer(0, 11);
  forget();
  CHECK(is_gone(address));
}

TEST_CASE_FIXTURE(
  world,
  "a request is answered even if the move of an answer to a part throws") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 0});
  auto& task = *ws[0]->inbox[0];
  auto answer = libpool::make_element(ws[0].pointer(), task.mid.response_id(),
                                      test::brittle{3});
  test::brittle::breaks = true;
  try {
    task.sender->enqueue(std::move(answer), nullptr);
  } catch (const std::exception& e) {
    CAPTURE(e.what());
  }
  test::brittle::breaks = false;
  ws[1].answer(0, 11);
  CHECK(client.answer_to(number).came());
}

} // namespace split_join_tests
