/// Both ends of a durable queue of a NATS server, without pools.

#include "libpool/nodes/nats/work_streams.hpp"
#include "nats_queue.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace nats_durable_queue_tests {

using namespace std::chrono_literals;
using test::client_of_queue;
using test::comes_true;
using test::front_of_queue;
using test::queue_world;

TEST_CASE_FIXTURE(queue_world,
                  "a message is given to one front, and its result "
                  "to the client, once") {
  front_of_queue one{where, 0};
  client_of_queue asks{where};
  for (auto id : {"1", "2", "3"})
    asks.queue->submit(id, "content");
  for (std::size_t i = 0; i < 3; ++i) {
    auto given = one.await(i);
    CHECK(given.attempt == 1);
    one.queue->settle(given.number, "done", {});
  }
  CHECK(comes_true([&] { return asks.user->has({"done", "done", "done"}); }));
  CHECK(comes_true([&] { return one.user->has_stored(3); }));
}

TEST_CASE_FIXTURE(queue_world, "a front takes as many messages as its window "
                               "allows, and others when they are settled") {
  front_of_queue one{where, 0, 3};
  client_of_queue asks{where};
  for (auto id : {"1", "2", "3", "4", "5", "6", "7"})
    asks.queue->submit(id, "content");
  one.await(2);
  front_of_queue two{where, 0};
  two.await(3); // has the other four
  CHECK(one.user->given.size() == 3);
  one.queue->settle(one.await(0).number, "done", {});
  two.queue->close();
  for (std::size_t i = 1; i < 5; ++i) {
    asks.queue->submit(std::to_string(7 + i), "content");
    one.queue->settle(one.await(i).number, "done", {});
  }
  CHECK(comes_true([&] { return one.user->has_stored(5); }));
}

TEST_CASE_FIXTURE(queue_world, "a front that takes no further messages leaves "
                               "them to others, also what it was waiting for") {
  front_of_queue one{where, 0};
  client_of_queue asks{where};
  asks.queue->submit("1", "content");
  auto first = one.await(0);
  one.queue->close();
  asks.queue->submit("2", "content");
  CHECK(comes_true([&] { return asks.user->has_stored(2); }));
  front_of_queue two{where, 0};
  asks.queue->submit("3", "content");
  for (std::size_t i = 0; i < 2; ++i) {
    auto given = two.await(i);
    CHECK(given.attempt == 1);
    two.queue->settle(given.number, "done", {});
  }
  CHECK(one.user->given.size() == 1);
  one.queue->put_back(first.number);
  CHECK(two.await(2).attempt == 1);
}

TEST_CASE_FIXTURE(queue_world, "the attempts and takings of a message are "
                               "known, also after a front has put it back") {
  front_of_queue one{where, 3};
  client_of_queue asks{where};
  asks.queue->submit("1", "content");
  auto first = one.await(0);
  CHECK(first.attempt == 1);
  CHECK(first.takings.size() == 1);
  one.queue = nullptr; // keeps it for the time of redelivery
  front_of_queue two{where, 3};
  auto given = two.await(0);
  CHECK(given.attempt == 2);
  CHECK(given.takings.size() == 2);
  CHECK(given.takings.back() == first.takings.front());
  two.queue->put_back(given.number);
  given = two.await(1);
  CHECK(given.attempt == 2);
  two.queue->put_back(given.number);
  two.queue = nullptr;
  front_of_queue three{where, 3};
  given = three.await(0);
  CHECK(given.attempt == 2);
  CHECK(given.takings.size() == 4);
  CHECK(given.takings.back() == first.takings.front());
  three.queue->settle(given.number, "done", {});
  CHECK(comes_true([&] { return asks.user->has({"done"}); }));
}

TEST_CASE_FIXTURE(queue_world, "an attempt of a lost front does not count if "
                               "all of its nodes serve the next front") {
  front_of_queue one{where, 0, 1}; // takes nothing further
  one.queue->node_joined(7, [] {});
  one.queue->node_joined(8, [] {});
  client_of_queue asks{where};
  asks.queue->submit("1", "content");
  auto first = one.await(0);
  one.queue->node_left(8); // later than the message has come
  SUBCASE("and not if one is missing") {
    one.queue = nullptr;
    front_of_queue two{where, 0};
    auto given = two.await(0);
    CHECK(given.attempt == 2);
    CHECK(!given.is_checked);
    two.queue->check_earlier(given.number, {7});
    given = two.await(1);
    CHECK(given.attempt == 2);
    CHECK(given.is_checked);
    two.queue->settle(given.number, "lost", {});
    CHECK(comes_true([&] { return asks.user->has({"lost"}); }));
  }
  SUBCASE("and the lost front gets no nodes if it comes back") {
    submit_unnoticed("1"); // as if it were silent
    front_of_queue two{where, 0, 1};
    auto given = two.await(0);
    two.queue->check_earlier(given.number, {8, 7});
    given = two.await(1);
    CHECK(given.attempt == 1);
    CHECK(given.takings.size() == 1);
    auto is_admitted = std::make_shared<std::atomic<bool>>(false);
    one.queue->node_joined(9, [is_admitted] { *is_admitted = true; });
    CHECK(comes_true([&] { return one.user->has_lost_queue(); }));
    CHECK(!*is_admitted);
    two.queue->settle(given.number, "done", {});
    CHECK(comes_true([&] { return asks.user->has({"done"}); }));
  }
}

TEST_CASE_FIXTURE(queue_world, "a node may serve when the servers know it, and "
                               "at once if the front has no messages") {
  front_of_queue one{where, 0};
  std::atomic<bool> is_admitted{false};
  one.queue->node_joined(7, [&] { is_admitted = true; });
  CHECK(is_admitted);
  client_of_queue asks{where};
  asks.queue->submit("1", "content");
  auto given = one.await(0);
  auto is_known = std::make_shared<std::atomic<bool>>(false);
  one.queue->node_joined(8, [is_known] { *is_known = true; });
  CHECK(comes_true([&] { return is_known->load(); }));
  one.queue->settle(given.number, "done", {});
  CHECK(comes_true([&] { return asks.user->has({"done"}); }));
}

TEST_CASE_FIXTURE(queue_world,
                  "a message that the queue gives to two fronts has "
                  "two attempts, and the first result counts") {
  front_of_queue one{where, 0, 1}; // takes nothing further
  client_of_queue asks{where};
  asks.queue->submit("1", "content");
  auto first = one.await(0);
  front_of_queue two{where, 0};
  submit_unnoticed("1");
  auto second = two.await(0);
  CHECK(first.attempt == 1);
  CHECK(second.attempt == 2);
  two.queue->settle(second.number, "lost", {});
  CHECK(comes_true([&] { return two.user->has_stored(1); }));
  one.queue->settle(first.number, "done", {});
  CHECK(comes_true([&] { return one.user->has_stored(1); }));
  CHECK(comes_true([&] { return asks.user->has({"lost"}); }));
  client_of_queue later{where};
  later.queue->submit("1", "content");
  CHECK(comes_true([&] { return later.user->has({"lost"}); }));
}

TEST_CASE_FIXTURE(queue_world, "a front that is given a message twice hands it "
                               "over once") {
  front_of_queue one{where, 3};
  client_of_queue asks{where};
  asks.queue->submit("1", "content");
  auto given = one.await(0);
  submit_unnoticed("1");
  asks.queue->submit("2", "content");
  auto next = one.await(1);
  CHECK(next.attempt == 1);
  one.queue->settle(given.number, "done", {});
  one.queue->settle(next.number, "done", {});
  CHECK(comes_true([&] { return one.user->has_stored(3); }));
  CHECK(one.user->given.size() == 2);
}

TEST_CASE_FIXTURE(queue_world, "a front has the queue deliver messages that a "
                               "server has lost the end of") {
  namespace fs = std::filesystem;
  const auto messages = fs::path{server.store()} / "jetstream" / "$G"
                        / "streams" / streams.queue / "msgs";
  const auto copy = fs::path{server.store()} / "copy";
  with_server([&](const libpool::jetstream& by) {
    return streams.make(by.context(), {}).empty() ? NATS_OK : NATS_ERR;
  });
  client_of_queue asks{where};
  for (auto id : {"1", "2", "3"})
    asks.queue->submit(id, "content");
  REQUIRE(comes_true([&] { return asks.user->has_stored(3); }));
  server.kill();
  fs::copy(messages, copy, fs::copy_options::recursive);
  server.start();
  {
    front_of_queue one{where, 0};
    one.await(2);
    for (std::size_t i = 0; i < 2; ++i)
      one.queue->settle(one.await(i).number, "done", {});
    CHECK(comes_true([&] { return waiting() == 1; }));
  }
  server.stop();
  fs::remove_all(messages);
  fs::copy(copy, messages, fs::copy_options::recursive);
  server.start();
  REQUIRE(waiting() == 3);
  front_of_queue two{where, 0};
  two.queue->settle(two.await(0).number, "lost", {});
  CHECK(comes_true([&] { return waiting() == 0; }));
  CHECK(two.user->given.size() == 1); // the other results are stored
}

TEST_CASE_FIXTURE(queue_world,
                  "a front makes the consumer again if it is deleted") {
  front_of_queue one{where, 0};
  client_of_queue asks{where};
  asks.queue->submit("1", "content");
  one.queue->settle(one.await(0).number, "done", {});
  CHECK(comes_true([&] { return waiting() == 0; }));
  with_server([&](const libpool::jetstream& by) {
    auto is_gone = [&] { // a loaded server may fail at first
      auto how = js_DeleteConsumer(by.context(), streams.queue.c_str(),
                                   libpool::work_streams::fronts, nullptr,
                                   nullptr);
      return how == NATS_OK || how == NATS_NOT_FOUND;
    };
    return comes_true(is_gone) ? NATS_OK : NATS_ERR;
  });
  asks.queue->submit("2", "content");
  one.queue->settle(one.await(1).number, "done", {});
  CHECK(comes_true([&] { return waiting() == 0; }));
}

TEST_CASE_FIXTURE(queue_world,
                  "a client submits a message again that the server "
                  "has confirmed and lost") {
  with_server([&](const libpool::jetstream& by) {
    return streams.make(by.context(), {}).empty() ? NATS_OK : NATS_ERR;
  });
  client_of_queue asks{where, 100ms};
  asks.queue->submit("1", "content");
  REQUIRE(comes_true([&] { return asks.user->has_stored(1); }));
  with_server([&](const libpool::jetstream& by) {
    return js_DeleteStream(by.context(), streams.queue.c_str(), nullptr,
                           nullptr);
  });
  front_of_queue one{where, 0};
  auto given = one.await(0);
  CHECK(given.attempt == 1);
  one.queue->settle(given.number, "done", {});
  CHECK(comes_true([&] { return asks.user->has({"done"}); }));
}

} // namespace nats_durable_queue_tests
