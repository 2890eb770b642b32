/// Plans of one's own in managed pools.

#include "libpool/policies/gather_parts.hpp"
#include "median_of_five.hpp"
#include "support/asking_again.hpp"
#include "support/gather_world.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

namespace managed_gathered_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using test::append;
using test::numbers;
using world = test::gather_world;
using does = world::does;

namespace {

using libpool::verdict;

libpool::policy asking_again(const world& w,
                             verdict at_end = verdict::too_few(1)) {
  return actor_pool::gathered(std::make_unique<test::asking_again>(at_end),
                              libpool::make_first_joiner(), w.queue());
}

libpool::policy median(const world& w) {
  return actor_pool::gathered<numbers>(std::make_unique<median_of_five>(10ms),
                                       append, {}, w.queue());
}

/// The results of so many workers, whichever of the five.
std::size_t size_of(const test::reply& answer) {
  return answer.get<numbers>().size();
}

} // namespace

// -- asking more --------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a user-defined gather plan can send the message to "
                         "another worker each time a worker fails") {
  make(asking_again(*this), {does::fail, does::fail, does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.get<int>() == 201);
  CHECK(workers_in_order() == numbers{0, 1, 2});
}

TEST_CASE_FIXTURE(
  world, "the votes of a custom plan ask no further worker after a success") {
  make(asking_again(*this), {does::answer, does::answer});
  client.ask(pool, 1);
  CHECK(begun.size() == 1);
  CHECK(books().completed == 1);
}

TEST_CASE_FIXTURE(
  world,
  "the votes of a custom plan fail with all errors if all asked workers fail") {
  auto at_end = verdict::too_few(1);
  SUBCASE("and the votes fail") {}
  SUBCASE("and the votes answer with the results so far") {
    at_end = verdict::answer();
  }
  make(asking_again(*this, at_end),
       {does::fail, does::crash, does::fail, does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::too_few_answers);
  CHECK(libpool::errors_in(answer.error()).size() == 3);
  CHECK(text(answer).find("1 of 3 answers required, got 0")
        != std::string::npos);
  CHECK(begun.size() == 3);
}

TEST_CASE_FIXTURE(world, "a user-defined gather plan that finds no further "
                         "worker fails with the errors of all asked workers") {
  make(asking_again(*this), {does::fail, does::fail});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(libpool::errors_in(answer.error()).size() == 2);
  CHECK(workers_in_order() == numbers{0, 1});
}

TEST_CASE_FIXTURE(world, "a user-defined gather plan can ask another worker if "
                         "a response promise is fulfilled with an error") {
  // The tasks of the pool have ended by then.
  make(asking_again(*this), {does::promise, does::promise, does::promise});
  auto number = client.request(pool, 1);
  run();
  CHECK(books().open() == 0);
  keep(0, caf::make_error(caf::sec::runtime_error));
  CHECK(begun.size() == 2);
  keep(1, caf::make_error(caf::sec::runtime_error));
  CHECK(begun.size() == 3);
  CHECK_FALSE(client.answer_to(number).came());
  keep(2, 7);
  CHECK(client.answer_to(number).get<int>() == 7);
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(world, "a dropped response promise fails the message, unless "
                         "this version of CAF answers for it with an error") {
  make(asking_again(*this), {does::promise, does::answer});
  auto number = client.request(pool, 1);
  run();
  promises.clear();
  if (test::dropped_promises_answer) {
    run();
    CHECK(client.answer_to(number).count == 1);
    CHECK(!client.answer_to(number).error()); // of the other worker
    return;
  }
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::worker_failed);
}

TEST_CASE_FIXTURE(
  world,
  "a draining pool asks no further workers even if the votes want more") {
  options.busy_until = libpool::busy_until::answer;
  make(asking_again(*this), {does::promise, does::answer});
  auto number = client.request(pool, 1);
  run();
  actor_pool::drain(pool);
  run();
  keep(0, caf::make_error(caf::sec::runtime_error));
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::worker_failed);
  CHECK(begun.size() == 1);
}

TEST_CASE_FIXTURE(world, "a pool that has ended asks no further workers") {
  make(asking_again(*this), {does::promise, does::answer});
  auto number = client.request(pool, 1);
  run();
  exit(pool, caf::exit_reason::user_shutdown);
  run();
  CHECK(client.answer_to(number).count <= 1);
  promises.clear();
  run();
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(world,
                  "a gather that has asked further workers can be reused") {
  make(asking_again(*this), {does::fail, does::fail, does::fail});
  for (auto i = 0; i < 5; ++i) {
    CAPTURE(i);
    CHECK(libpool::errors_in(client.ask(pool, 1).error()).size() == 3);
    client->inbox.clear();
  }
  CHECK(begun.size() == 15);
  CHECK(books().balances());
}

TEST_CASE_FIXTURE(world, "another worker is asked instead of a worker that "
                         "leaves before its task starts") {
  make(asking_again(*this), {does::fail, does::fail, does::fail});
  auto number = client.request(pool, 1); // of the first one
  kill(by_worker[0]);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(workers_in_order() == numbers{1, 2});
}

// -- the median of five -------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a custom plan can wait for the answers of five workers") {
  make(median(*this), {does::answer, does::answer, does::answer, does::answer,
                       does::answer, does::answer});
  CHECK(size_of(client.ask(pool, 1)) == 5);
  CHECK(begun.size() == 5);
}

TEST_CASE_FIXTURE(world, "a user-defined gather plan can answer with the "
                         "results so far after a given time") {
  make(median(*this), {does::answer, does::answer, does::answer, does::promise,
                       does::promise});
  auto number = client.request(pool, 1);
  run();
  advance(9ms);
  CHECK_FALSE(client.answer_to(number).came());
  advance(1ms);
  CHECK(client.answer_to(number).count == 1);
  CHECK(size_of(client.answer_to(number)) == 3);
}

TEST_CASE_FIXTURE(
  world, "a custom plan can continue to wait after its time has passed") {
  make(median(*this), {does::answer, does::answer, does::promise, does::promise,
                       does::promise});
  auto number = client.request(pool, 1);
  run();
  advance(20ms);
  CHECK_FALSE(client.answer_to(number).came());
  keep(0, 5);
  CHECK(size_of(client.answer_to(number)) == 3);
}

TEST_CASE_FIXTURE(
  world,
  "a custom plan that tolerates failures counts dropped promises as failures") {
  make(median(*this), {does::answer, does::answer, does::answer, does::promise,
                       does::promise});
  auto number = client.request(pool, 1);
  run();
  promises.clear();
  CHECK(client.answer_to(number).count == 1);
  CHECK(size_of(client.answer_to(number)) == 3);
}

// -- parts --------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "gathered_parts with the plan gather_parts sends the "
                         "parts that the split function returns") {
  auto how = actor_pool::gathered_parts<numbers>(
    std::make_unique<libpool::gather_parts>(), append, test::one_each, {},
    queue());
  make(how, {does::answer});
  CHECK(client.ask(pool, numbers{1, 2, 3}).get<numbers>().size() == 3);
}

TEST_CASE("making a gathered policy without a plan, a join or a required split "
          "function throws") {
  auto plan = [] { return std::make_unique<test::asking_again>(); };
  auto parts = [] { return std::make_unique<libpool::gather_parts>(); };
  CHECK_THROWS_AS(actor_pool::gathered(nullptr, libpool::make_first_joiner()),
                  std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::gathered(plan(), nullptr), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::gathered(parts(), libpool::make_first_joiner()),
                  std::invalid_argument);
  CHECK_THROWS_AS(
    actor_pool::gathered_parts<numbers>(plan(), append, test::one_each),
    std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::gathered(plan(), libpool::make_first_joiner(),
                                       actor_pool::random()),
                  std::invalid_argument);
}

} // namespace managed_gathered_tests
