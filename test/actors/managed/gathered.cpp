/// Plans of one's own in managed pools.

#include "libpool/policies/gather/gather_parts.hpp"
#include "median_of_five.hpp"
#include "support/asking_again.hpp"
#include "support/crew_world.hpp"

#include <algorithm>
#include <chrono>

namespace managed_gathered_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using test::append;
using test::numbers;
using world = test::crew_world;
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

} // namespace

// -- asking more --------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a user-defined gather plan can send the message to "
                         "another worker each time a worker fails") {
  make(asking_again(*this),
       {does::fail, does::fail, does::answer, does::answer});
  CHECK(result_of(request(1)) == 201);
  CHECK(workers_in_order() == numbers{0, 1, 2});
}

TEST_CASE("a custom plan asks at most as many workers as it wants, each time, "
          "and fails with all their errors") {
  for (auto at_end : {verdict::too_few(1), verdict::answer()})
    for (auto workers : {2U, 4U}) {
      CAPTURE(workers);
      world w;
      w.make(asking_again(w, at_end), std::vector<does>(workers, does::fail));
      auto asked = std::min(workers, 3U);
      for (auto round = 1U; round <= 3; ++round) {
        auto answer = w.client.ask(w.pool, 1);
        CHECK(answer.count == 1);
        CHECK(answer.error() == errc::too_few_answers);
        CHECK(libpool::errors_in(answer.error()).size() == asked);
        CHECK(w.text(answer).find("1 of " + std::to_string(asked)
                                  + " answers required, got 0")
              != std::string::npos);
        CHECK(w.begun.size() == asked * round);
        w.client->inbox.clear();
      }
    }
}

TEST_CASE_FIXTURE(world,
                  "a message that is cancelled between two tries asks no "
                  "further worker") {
  libpool::cancel_counts counts;
  on_settled = [&](const libpool::settled_task& task) {
    if (task.number == 1)
      counts = actor_pool::cancel(pool, libpool::selection::of_all());
  };
  SUBCASE("after an answer with an error") {
    make(asking_again(*this), {does::fail, does::answer});
  }
  SUBCASE("after a crash") {
    make(asking_again(*this), {does::crash, does::answer});
  }
  auto asked = client.request(pool, 1);
  run();
  CHECK(counts.waiting == 1);
  CHECK(counts.running == 0);
  CHECK(begun.size() == 1);
  CHECK(client.answer_to(asked).count == 1);
  CHECK(client.answer_to(asked).error());
}

TEST_CASE_FIXTURE(world, "a user-defined gather plan can ask another worker if "
                         "a response promise is fulfilled with an error") {
  // The tasks of the pool have ended by then.
  make(asking_again(*this), {does::promise, does::promise, does::promise});
  auto number = request(1);
  CHECK(books().open() == 0);
  keep(0, caf::make_error(caf::sec::runtime_error));
  CHECK(begun.size() == 2);
  keep(1, caf::make_error(caf::sec::runtime_error));
  CHECK(begun.size() == 3);
  CHECK_FALSE(is_answered(number));
  keep(2, 7);
  CHECK(result_of(number) == 7);
}

TEST_CASE_FIXTURE(world, "a dropped response promise fails the message, unless "
                         "this version of CAF answers for it with an error") {
  make(asking_again(*this), {does::promise, does::answer});
  auto number = request(1);
  promises.clear();
  if (test::dropped_promises_answer) {
    run();
    CHECK(!error_of(number)); // of the other worker
  } else {
    CHECK(error_of(number) == errc::worker_failed);
  }
}

TEST_CASE_FIXTURE(
  world, "a pool that drains or has ended asks no further workers even if the "
         "votes want more") {
  options.busy_until = libpool::busy_until::answer;
  make(asking_again(*this), {does::promise, does::answer});
  auto number = request(1);
  SUBCASE("a draining pool") {
    actor_pool::drain(pool);
    run();
    keep(0, caf::make_error(caf::sec::runtime_error));
    CHECK(error_of(number) == errc::worker_failed);
  }
  SUBCASE("a pool that has ended") {
    exit(pool);
    run();
    promises.clear();
    run();
    CHECK(client.answer_to(number).count == 1);
  }
  CHECK(begun.size() == 1);
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

TEST_CASE(
  "a user-defined gather plan can wait for the answers of five workers, "
  "and answer with the results so far after a given time") {
  auto ends_after = [](std::size_t answers, auto wait) {
    CAPTURE(answers);
    world w;
    std::vector<does> scripts(answers, does::answer);
    scripts.resize(5, does::promise);
    scripts.push_back(does::answer); // is not asked
    w.make(median(w), scripts);
    auto number = w.request(1);
    CHECK(w.begun.size() == 5);
    wait(w, number);
    return w.result_of<numbers>(number).size();
  };
  using id = std::uint64_t;
  CHECK(ends_after(5, [](world&, id) {}) == 5);
  CHECK(ends_after(3,
                   [](world& w, id number) {
                     w.advance(9ms);
                     CHECK_FALSE(w.is_answered(number));
                     w.advance(1ms);
                   })
        == 3);
  CHECK(ends_after(2,
                   [](world& w, id number) {
                     w.advance(20ms);
                     CHECK_FALSE(w.is_answered(number)); // goes on waiting
                     w.keep(0, 5);
                   })
        == 3);
  CHECK(ends_after(3, [](world& w, id) { w.promises.clear(); }) == 3);
}

// -- parts --------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "gathered_parts with the plan gather_parts sends the "
                         "parts that the split function returns") {
  make(actor_pool::gathered_parts<numbers>(
         std::make_unique<libpool::gather_parts>(), append, test::one_each, {},
         queue()),
       {does::answer});
  CHECK(client.ask(pool, numbers{1, 2, 3}).get<numbers>().size() == 3);
}

TEST_CASE("making a gathered policy without a plan, a join or a required split "
          "function throws") {
  auto plan = [] { return std::make_unique<test::asking_again>(); };
  auto parts = [] { return std::make_unique<libpool::gather_parts>(); };
  using libpool::make_first_joiner;
  using wrong = std::invalid_argument;
  CHECK_THROWS_AS(actor_pool::gathered(nullptr, make_first_joiner()), wrong);
  CHECK_THROWS_AS(actor_pool::gathered(plan(), nullptr), wrong);
  CHECK_THROWS_AS(actor_pool::gathered(parts(), make_first_joiner()), wrong);
  CHECK_THROWS_AS(
    actor_pool::gathered_parts<numbers>(plan(), append, test::one_each), wrong);
  CHECK_THROWS_AS(
    actor_pool::gathered(plan(), make_first_joiner(), actor_pool::random()),
    wrong);
}

} // namespace managed_gathered_tests
