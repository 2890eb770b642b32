/// Failed messages of a durable queue of a NATS server, without pools.

#include "libpool/nodes/nats/failure_store.hpp"
#include "nats_queue.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace nats_failed_message_tests {

namespace {

using test::client_of_queue;
using test::comes_true;
using test::front_of_queue;

const libpool::work_failure crash{"worker_crashed",
                                  "libpool: a worker of node 1 crashed:\r\nbad",
                                  2,
                                  "node 1",
                                  "int32_t",
                                  "trace 7"};

struct failing_world : test::queue_world {
  /// Submits a message, and has it fail at a front. Returns the number of the
  /// failed message.
  std::uint64_t fail(const std::string& id) {
    asks.queue->submit(id, "content of " + id);
    one.queue->settle(one.await(given++).number, "crashed", crash);
    return kept(1).front().number;
  }

  /// Waits until the front knows of so many failed messages, and lists them.
  std::vector<libpool::failed_message> kept(std::uint64_t count,
                                            const front_of_queue& front) {
    CHECK(comes_true([&] { return front.queue->count() == count; }));
    return front.queue->list(0, 100);
  }

  std::vector<libpool::failed_message> kept(std::uint64_t count) {
    return kept(count, one);
  }

  /// Removes the stream of failed messages, which the front has made.
  void remove_store() const {
    REQUIRE(comes_true([&] { return one.queue->count().has_value(); }));
    with_server([&](const libpool::jetstream& by) {
      return js_DeleteStream(by.context(), streams.failures.c_str(), nullptr,
                             nullptr);
    });
  }

  front_of_queue one{where, 3};
  client_of_queue asks{where};
  std::size_t given = 0; // messages to the front
};

} // namespace

TEST_CASE_FIXTURE(failing_world,
                  "a message that has failed for good is kept with "
                  "its content and the reason, and its client is answered") {
  asks.queue->submit("a.b_c", "content");
  one.queue->settle(one.await(0).number, "crashed", crash);
  auto all = kept(1);
  REQUIRE(all.size() == 1);
  CHECK(all[0].client == "client");
  CHECK(all[0].id == "a.b_c");
  CHECK(all[0].bytes == 7);
  CHECK(all[0].error == "worker_crashed");
  CHECK(all[0].reason == "libpool: a worker of node 1 crashed:  bad");
  CHECK(all[0].attempts == 2);
  CHECK(all[0].node == "node 1");
  CHECK(all[0].kind == "int32_t");
  CHECK(all[0].trace == "trace 7");
  auto age = std::chrono::system_clock::now() - all[0].time;
  CHECK(age < test::patience);
  CHECK(age > -test::patience);
  CHECK(comes_true([&] { return asks.user->has({"crashed"}); }));
  CHECK(comes_true([&] { return waiting() == 0; }));
}

TEST_CASE_FIXTURE(failing_world, "failed messages are listed by number, from "
                                 "any number, and can be removed") {
  for (auto id : {"1", "2", "3"}) {
    asks.queue->submit(id, "content");
    one.queue->settle(one.await(given++).number, "crashed", crash);
  }
  auto all = kept(3);
  REQUIRE(all.size() == 3);
  CHECK(all[0].number < all[1].number);
  CHECK(all[1].number < all[2].number);
  auto others = one.queue->list(all[0].number + 1, 1);
  REQUIRE(others.size() == 1);
  CHECK(others[0].number == all[1].number);
  CHECK(one.queue->drop(all[1].number));
  CHECK(!one.queue->drop(all[1].number));
  CHECK(!one.queue->submit_again(all[1].number));
  CHECK(kept(2).size() == 2);
}

TEST_CASE_FIXTURE(failing_world, "a failed message runs once more, however "
                                 "often it is submitted again, and is kept "
                                 "until it has another result") {
  auto number = fail("1");
  CHECK(one.queue->submit_again(number));
  CHECK(one.queue->submit_again(number));
  auto again = one.await(given++);
  CHECK(again.attempt == 1);
  CHECK(again.content == "content of 1");
  CHECK(one.queue->submit_again(number)); // it runs
  CHECK(kept(1).size() == 1);
  one.queue->settle(again.number, "done", {});
  CHECK(kept(0).empty());
  CHECK(!one.queue->submit_again(number));
  asks.queue->submit("2", "content of 2");
  CHECK(one.await(given).content == "content of 2"); // and nothing before
}

TEST_CASE_FIXTURE(failing_world, "a failed message is kept while its new "
                                 "submission goes back to the queue") {
  auto number = fail("1");
  CHECK(one.queue->submit_again(number));
  one.queue->put_back(one.await(given++).number);
  auto again = one.await(given++);
  CHECK(one.queue->submit_again(number));
  CHECK(one.queue->list(0, 100).size() == 1);
  one.queue->settle(again.number, "done", {});
  CHECK(kept(0).empty());
  CHECK(comes_true([&] { return waiting() == 0; }));
}

TEST_CASE_FIXTURE(failing_world, "a failed message that the queue forgets to "
                                 "have been submitted does not run twice") {
  auto number = fail("1");
  CHECK(one.queue->submit_again(number));
  one.queue->settle(one.await(given++).number, "done", {});
  CHECK(kept(0).empty());
  submit_unnoticed("1_again" + std::to_string(number));
  CHECK(comes_true([&] { return waiting() == 0; }));
  CHECK(one.user->given.size() == given);
}

TEST_CASE_FIXTURE(failing_world, "a failed message that fails again is kept "
                                 "under another number, with all attempts") {
  auto number = fail("1");
  CHECK(one.queue->submit_again(number));
  auto second = crash;
  second.error = "node_lost";
  SUBCASE("in place of the earlier one") {
    one.queue->settle(one.await(given++).number, "lost", second);
    CHECK(comes_true([&] { return !one.queue->submit_again(number); }));
    CHECK(!one.queue->drop(number));
  }
  SUBCASE("also if the earlier one was removed") {
    one.await(given);
    CHECK(one.queue->drop(number));
    CHECK(kept(0).empty());
    one.queue->settle(one.await(given++).number, "lost", second);
  }
  auto all = kept(1);
  REQUIRE(all.size() == 1);
  CHECK(all[0].number > number);
  CHECK(all[0].id == "1");
  CHECK(all[0].error == "node_lost");
  CHECK(all[0].attempts == 4);
  CHECK(one.queue->submit_again(all[0].number));
  one.queue->settle(one.await(given++).number, "done", {});
  CHECK(kept(0).empty());
}

TEST_CASE_FIXTURE(failing_world, "a failed message is kept once if a front is "
                                 "lost after its result") {
  remove_store();
  asks.queue->submit("1", "content");
  one.queue->settle(one.await(0).number, "crashed", crash);
  CHECK(comes_true([&] { return asks.user->has({"crashed"}); }));
  one.queue = nullptr; // mostly before it has made the store again
  front_of_queue two{where, 3};
  auto all = kept(1, two);
  REQUIRE(all.size() == 1);
  CHECK(all[0].error == "worker_crashed");
  CHECK(all[0].attempts <= 2);
  CHECK(comes_true([&] { return waiting() == 0; }));
  CHECK(two.user->given.empty());
}

TEST_CASE_FIXTURE(failing_world, "a front makes the store of failed messages "
                                 "again if it is deleted") {
  remove_store();
  fail("1");
  CHECK(comes_true([&] { return waiting() == 0; }));
}

TEST_CASE_FIXTURE(failing_world, "a message is kept or not as its first result "
                                 "says, whichever front has stored it") {
  asks.queue->submit("1", "content");
  auto first = one.await(0);
  one.queue->close(); // takes nothing further
  front_of_queue two{where, 3};
  submit_unnoticed("1");
  auto second = two.await(0);
  SUBCASE("a failure") {
    two.queue->settle(second.number, "lost", crash);
    CHECK(kept(1, two).size() == 1);
    one.queue->settle(first.number, "done", {});
    CHECK(comes_true([&] { return one.user->has_stored(1); }));
    CHECK(two.queue->list(0, 100).size() == 1);
  }
  SUBCASE("another result") {
    two.queue->settle(second.number, "done", {});
    CHECK(comes_true([&] { return two.user->has_stored(1); }));
    one.queue->settle(first.number, "lost", crash);
    CHECK(comes_true([&] { return one.user->has_stored(1); }));
    CHECK(two.queue->list(0, 100).empty());
  }
}

TEST_CASE_FIXTURE(failing_world, "a client cannot remove the failed message of "
                                 "another submission") {
  auto number = fail("1");
  submit_unnoticed("2_again" + std::to_string(number));
  one.queue->settle(one.await(given++).number, "done", {});
  CHECK(comes_true([&] { return waiting() == 0; }));
  CHECK(one.queue->list(0, 100).size() == 1);
}

TEST_CASE_FIXTURE(test::queue_world,
                  "no message is kept if the option says so") {
  libpool::durable_options options;
  options.keep_failed = libpool::duration{0};
  front_of_queue one{where, 0, 256, options};
  client_of_queue asks{where};
  asks.queue->submit("1", "content");
  one.queue->settle(one.await(0).number, "crashed", crash);
  CHECK(comes_true([&] { return waiting() == 0; }));
  CHECK(comes_true([&] { return asks.user->has({"crashed"}); }));
  CHECK(!one.queue->count());
  CHECK_THROWS_WITH_AS(one.queue->list(0, 1),
                       "the durable queue keeps no failed messages: "
                       "durable_options::keep_failed is 0",
                       std::runtime_error);
}

TEST_CASE_FIXTURE(failing_world, "questions about failed messages fail while "
                                 "no server answers") {
  auto number = fail("1");
  server.kill();
  CHECK_THROWS_AS(one.queue->submit_again(number), std::runtime_error);
  server.start();
  CHECK(comes_true([&] {
    try {
      return one.queue->submit_again(number);
    } catch (const std::runtime_error&) {
      return false;
    }
  }));
  CHECK(one.await(given).content == "content of 1");
}

TEST_CASE("headers of a failure are short and have no line breaks") {
  auto long_text = std::string(10'000, '\n');
  libpool::work_failure failure{long_text, long_text, ~std::uint64_t{0},
                                long_text, long_text, long_text};
  std::size_t size = 0;
  for (const auto& [name, value] : libpool::headers_of(failure)) {
    CHECK(value.find('\n') == std::string::npos);
    size += name.size() + value.size() + 4; // ": " and a line break
  }
  CHECK(size <= 900);
}

} // namespace nats_failed_message_tests
