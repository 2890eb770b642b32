/// Time limits of handlers at nodes.

#include "libpool/pool.hpp"
#include "support/watched_nodes.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>

namespace actors_nodes_time_limits_tests {

using libpool::actor_pool;
using libpool::errc;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : test::watched_nodes {
  world() {
    options.time_limit = 2s;
  }
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "the time limit of a message at a node counts from the "
                  "start of its handler") {
  SUBCASE("if the message waits in the queue of the node") {
    begin(watching());
    request_all(1, 2);
    let_travel();
    REQUIRE(state(0).waiting == 1);
  }
  SUBCASE("if the message waits in the local pool of the node") {
    offer.pool.workers = 1;
    begin(watching(), 2);
    request_all(1, 2);
    REQUIRE(state(0).running == 2);
  }
  SUBCASE("if the message waits in the local pool of the node, which gathers") {
    offer.pool.workers = 1;
    offer.choose = test::gathering;
    begin(watching(), 2);
    request_all(1, 2);
    REQUIRE(state(0).running == 2);
  }
  REQUIRE(tasks.size() == 1);
  wait(1500ms);
  deliver(0, 10);
  REQUIRE(tasks.size() == 2);
  wait(1900ms);
  CHECK_FALSE(tasks[1].stop_requested());
  CHECK(books().open() == 1);
  wait(200ms);
  CHECK(tasks[1].stop_requested());
  CHECK(books().cancelled == 1);
  CHECK(books().open() == 0);
  deliver(1, 20);
  CHECK(in_flight() == 0);
}

TEST_CASE_FIXTURE(world, "a message behind a stuck handler at a node does not "
                         "reach the time limit") {
  begin(watching());
  auto sent = request_all(1, 2);
  let_travel();
  REQUIRE(state(0).waiting == 1);
  wait(10s);
  CHECK(error_of(sent[0]) == errc::time_limit);
  CHECK_FALSE(is_answered(sent[1]));
  deliver(0, 10);
  REQUIRE(tasks.size() == 2);
  wait(1900ms);
  CHECK_FALSE(is_answered(sent[1]));
  SUBCASE("its handler can answer") {
    deliver(1, 20);
    CHECK(result_of(sent[1]) == 20);
  }
  SUBCASE("its handler reaches the time limit") {
    wait(200ms);
    CHECK(error_of(sent[1]) == errc::time_limit);
    deliver(1, 20);
  }
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(world,
                  "the time limit of a message at a node counts from the "
                  "start of its handler if a worker of the node is a "
                  "pool") {
  libpool::managed_options of_inner;
  of_inner.busy_until = libpool::busy_until::answer;
  auto inner = actor_pool::make(
    system(), 1, [&] { return system().spawn<scripted>(watching()); },
    actor_pool::shared_queue(of_inner));
  offer.slots = 1;
  make();
  join_with([inner] { return inner; });
  client.request(inner, 1);
  run();
  REQUIRE(tasks.size() == 1);
  auto sent = submit(2);
  REQUIRE(state(0).running == 1);
  wait(3s);
  CHECK(tasks.size() == 1);
  CHECK_FALSE(is_answered(sent));
  deliver(0, 10);
  REQUIRE(tasks.size() == 2);
  wait(1900ms);
  CHECK_FALSE(is_answered(sent));
  wait(200ms);
  CHECK(error_of(sent) == errc::time_limit);
  CHECK(tasks[1].stop_requested());
  deliver(1, 20);
  CHECK(in_flight() == 0);
}

TEST_CASE_FIXTURE(world,
                  "a time limit that passes while the line of the node is "
                  "interrupted is noticed when the line works again, or "
                  "the node is lost") {
  begin(watching());
  auto sent = submit(1);
  wait(1900ms);
  cut(0);
  wait(500ms);
  CHECK_FALSE(is_answered(sent));
  SUBCASE("the line works again") {
    restore(0);
    wait(1s);
    CHECK(error_of(sent) == errc::time_limit);
    CHECK(tasks.at(0).stop_requested());
  }
  SUBCASE("the node is lost") {
    await_losses();
    CHECK(error_of(sent) == errc::node_lost);
  }
  CHECK(books().open() == 0);
  deliver(0, 10);
}

} // namespace actors_nodes_time_limits_tests
