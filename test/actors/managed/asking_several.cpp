#include "support/gather_world.hpp"

#include <algorithm>
#include <chrono>

namespace managed_asking_several_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using test::append;
using test::numbers;
using world = test::gather_world;
using does = world::does;

namespace {

numbers sorted(numbers values) {
  std::sort(values.begin(), values.end());
  return values;
}

libpool::policy everybody(const world& w, gather_options options = {}) {
  return actor_pool::broadcast_all<numbers>(append, numbers{}, options,
                                            w.queue());
}

} // namespace

// -- broadcast_all ------------------------------------------------------------

TEST_CASE("broadcast_all sends every message to every worker once") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.make(everybody(w), {does::answer, does::answer, does::answer});
    auto first = w.client.request(w.pool, 1);
    auto second = w.client.request(w.pool, 2);
    w.run();
    CHECK(sorted(w.client.answer_to(first).get<numbers>())
          == numbers{1, 101, 201});
    CHECK(sorted(w.client.answer_to(second).get<numbers>())
          == numbers{2, 102, 202});
    CHECK(w.client.answer_to(first).count == 1);
  }
}

TEST_CASE_FIXTURE(world, "with the option ordered, broadcast_all joins results "
                         "in the order of the workers") {
  gather_options how;
  how.ordered = true;
  make(everybody(*this, how), {does::answer, does::answer, does::answer});
  CHECK(client.ask(pool, 1).get<numbers>() == numbers{1, 101, 201});
}

TEST_CASE_FIXTURE(
  world,
  "broadcast_all fails, or joins the other results, when a worker fails") {
  SUBCASE("by default, with an error that names the worker") {
    make(everybody(*this), {does::answer, does::fail, does::answer});
    auto answer = client.ask(pool, 1);
    CHECK(answer.error() == errc::worker_failed);
    CHECK(text(answer).find(test::name_of(by_worker[1])) != std::string::npos);
  }
  SUBCASE("with join_what_came") {
    gather_options how;
    how.join_what_came = true;
    make(everybody(*this, how), {does::answer, does::crash, does::answer});
    CHECK(sorted(client.ask(pool, 1).get<numbers>()) == numbers{1, 201});
  }
}

TEST_CASE_FIXTURE(world,
                  "broadcast_all fails with no_workers in an empty pool") {
  pool = actor_pool::make(system(), everybody(*this));
  CHECK(client.ask(pool, 1).error() == errc::no_workers);
}

TEST_CASE_FIXTURE(
  world,
  "broadcast_all fails if a worker terminates before it has started its task") {
  make(everybody(*this), {does::answer, does::answer});
  auto number = client.request(pool, 1);
  kill(by_worker[1]);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::worker_down);
}

TEST_CASE_FIXTURE(world,
                  "broadcast_all does not wait for a worker that is removed") {
  make(everybody(*this), {does::answer, does::answer});
  auto number = client.request(pool, 1);
  auto out = client.request(pool, caf::sys_atom{}, caf::delete_atom{},
                            by_worker[1]);
  run();
  CHECK(client.answer_to(out).is_empty());
  CHECK(client.answer_to(number).get<numbers>() == numbers{1});
  CHECK(client.ask(pool, 2).get<numbers>() == numbers{2});
}

TEST_CASE("broadcast_all fails if all asked workers were removed, and names "
          "the workers") {
  for (auto what_came : {false, true})
    for (auto others : {0, 2}) { // which serve, and were not asked
      CAPTURE(what_came);
      CAPTURE(others);
      world w;
      gather_options how;
      how.join_what_came = what_came;
      w.make(everybody(w, how), {does::answer, does::answer});
      auto number = w.client.request(w.pool, 1);
      for (auto i = 0; i < others; ++i)
        w.add(does::answer);
      for (std::size_t i = 0; i < 2; ++i)
        w.client.request(w.pool, caf::sys_atom{}, caf::delete_atom{},
                         w.by_worker[i]);
      w.run();
      auto answer = w.client.answer_to(number);
      CHECK(w.begun.empty());
      CHECK(answer.count == 1);
      CHECK(answer.error() == errc::worker_down);
      auto text = w.text(answer);
      CHECK(text.find("removed before they began: ") != std::string::npos);
      for (std::size_t i = 0; i < 2; ++i)
        CHECK(text.find("worker " + std::to_string(i)) != std::string::npos);
      CHECK(w.stats().errors[errc::worker_down] == 2);
    }
}

TEST_CASE_FIXTURE(
  world,
  "broadcast_all fails with the error of the one worker that was not removed") {
  make(everybody(*this), {does::fail, does::answer});
  auto number = client.request(pool, 1);
  client.request(pool, caf::sys_atom{}, caf::delete_atom{}, by_worker[1]);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::worker_failed);
}

TEST_CASE_FIXTURE(
  world,
  "a gather with join_what_came fails with all errors if no worker succeeded") {
  gather_options how;
  how.join_what_came = true;
  SUBCASE("broadcast_all") {
    make(everybody(*this, how), {does::fail, does::crash});
    auto answer = client.ask(pool, 1);
    CHECK(answer.count == 1);
    CHECK(answer.error() == errc::too_few_answers);
    CHECK(libpool::errors_in(answer.error()).size() == 2);
  }
  SUBCASE("managed_split_join") {
    make(test::splitting(*this, how), {does::fail});
    auto answer = client.ask(pool, numbers{1, 2, 3});
    CHECK(answer.count == 1);
    CHECK(answer.error() == errc::too_few_answers);
    CHECK(libpool::errors_in(answer.error()).size() == 3);
  }
  SUBCASE("in time") {
    how.timeout = 10ms;
    make(everybody(*this, how), {does::promise});
    auto number = client.request(pool, 1);
    run();
    advance(10ms);
    CHECK(client.answer_to(number).count == 1);
    CHECK(client.answer_to(number).error() == errc::timeout);
  }
}

TEST_CASE_FIXTURE(
  world, "a busy worker gets its task of broadcast_all when it is free") {
  options.window = 1;
  make(everybody(*this), {does::answer, does::answer});
  std::vector<std::uint64_t> asked;
  for (auto x = 1; x <= 5; ++x)
    asked.push_back(client.request(pool, x));
  run();
  for (auto x = 1; x <= 5; ++x)
    CHECK(
      sorted(
        client.answer_to(asked[static_cast<std::size_t>(x - 1)]).get<numbers>())
      == numbers{x, 100 + x});
}

// -- first_success ------------------------------------------------------------

TEST_CASE_FIXTURE(world, "first_success answers with the first result, and "
                         "cancels tasks that have not started") {
  make(actor_pool::first_success(3, queue()),
       {does::answer, does::answer, does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.get<int>() % 100 == 1);
  CHECK(begun.size() == 1); // the others were in mailboxes, and taken back
  CHECK(books().cancelled == 2);
}

TEST_CASE_FIXTURE(
  world, "first_success succeeds even if other workers fail or crash") {
  make(actor_pool::first_success(3, queue()),
       {does::fail, does::crash, does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.get<int>() == 201);
}

TEST_CASE_FIXTURE(
  world,
  "first_success fails with the errors of all workers if all of them fail") {
  make(actor_pool::first_success(2, queue()), {does::fail, does::fail});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::too_few_answers);
  auto theirs = libpool::errors_in(answer.error());
  REQUIRE(theirs.size() == 2);
  for (auto& each : theirs)
    CHECK(each == errc::worker_failed);
  CHECK(text(answer).find(test::name_of(by_worker[0])) != std::string::npos);
  CHECK(text(answer).find(test::name_of(by_worker[1])) != std::string::npos);
}

TEST_CASE_FIXTURE(world,
                  "first_success asks the workers with the fewest tasks") {
  make(actor_pool::first_success(2, queue()),
       {does::answer, does::answer, does::answer, does::answer});
  auto first = client.request(pool, 1);
  auto second = client.request(pool, 2);
  run();
  CHECK(client.answer_to(first).came());
  CHECK(client.answer_to(second).came());
  REQUIRE(begun.size() == 2);
  CHECK(begun[0].first / 2 != begun[1].first / 2);
}

TEST_CASE_FIXTURE(world, "first_success asks another worker if a worker leaves "
                         "before its task starts") {
  make(actor_pool::first_success(2, queue()),
       {does::fail, does::answer, does::answer});
  auto number = client.request(pool, 1); // of the first two
  SUBCASE("a terminated worker") {
    kill(by_worker[1]);
  }
  SUBCASE("a worker that was removed") {
    client.request(pool, caf::sys_atom{}, caf::delete_atom{}, by_worker[1]);
  }
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<int>() == 201);
}

// -- quorum -------------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a quorum of 2 out of 3 is reached even if a worker fails") {
  make(actor_pool::quorum<numbers>(3, 2, append, {}, {}, queue()),
       {does::answer, does::fail, does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(sorted(answer.get<numbers>()) == numbers{1, 201});
}

TEST_CASE_FIXTURE(world, "a quorum that cannot be reached fails at once with "
                         "the errors of the workers") {
  make(actor_pool::quorum(3, 2, queue()),
       {does::fail, does::fail, does::promise});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::too_few_answers);
  CHECK(text(answer).find("2 of 3 answers required, got 0")
        != std::string::npos);
  CHECK(libpool::errors_in(answer.error()).size() == 2);
}

TEST_CASE_FIXTURE(
  world, "a quorum that needs more workers than the pool has fails at once") {
  make(actor_pool::quorum(3, 2, queue()), {does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.error() == errc::too_few_workers);
  CHECK(text(answer).find("2 answers required, but the pool has 1 worker")
        != std::string::npos);
  add(does::answer);
  CHECK(client.ask(pool, 1).came());
}

TEST_CASE_FIXTURE(world, "a quorum without a join function answers with the "
                         "first result once enough workers have succeeded") {
  make(actor_pool::quorum(2, 2, queue()), {does::answer, does::promise});
  auto number = client.request(pool, 1);
  run();
  CHECK_FALSE(client.answer_to(number).came());
  keep(0, 9);
  run();
  CHECK(client.answer_to(number).get<int>() == 1);
}

// -- hedged -------------------------------------------------------------------

TEST_CASE_FIXTURE(
  world, "a hedged message goes to a second worker if the first takes long") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::answer});
  auto number = client.request(pool, 1);
  run();
  CHECK(workers_in_order() == numbers{0});
  advance(9ms);
  CHECK(workers_in_order() == numbers{0});
  advance(1ms);
  CHECK(workers_in_order() == numbers{0, 1});
  CHECK(client.answer_to(number).get<int>() == 101);
  CHECK(stats().hedged == 1);
  keep(0, 5);
  run();
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(
  world,
  "a hedged message goes to no second worker if the first answers in time") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::answer});
  auto number = client.request(pool, 1);
  run();
  advance(9ms);
  keep(0, 5);
  run();
  advance(50ms);
  CHECK(workers_in_order() == numbers{0});
  CHECK(client.answer_to(number).get<int>() == 5);
  CHECK(stats().hedged == 0);
}

TEST_CASE_FIXTURE(world,
                  "an error that comes in time answers a hedged message") {
  make(actor_pool::hedged(10ms, 100, queue()), {does::fail, does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.error() == errc::worker_failed);
  CHECK(begun.size() == 1);
}

TEST_CASE_FIXTURE(
  world,
  "a hedged message fails with the errors of both workers if both fail") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::fail});
  auto number = client.request(pool, 1);
  run();
  advance(10ms);
  CHECK_FALSE(client.answer_to(number).came());
  keep(0, caf::make_error(caf::sec::runtime_error));
  run();
  CHECK(client.answer_to(number).error() == errc::too_few_answers);
  CHECK(libpool::errors_in(client.answer_to(number).error()).size() == 2);
}

TEST_CASE_FIXTURE(
  world, "a pool hedges at most as many messages as the budget allows") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 25, queue()),
       {does::promise, does::promise, does::promise, does::promise,
        does::promise, does::promise, does::promise, does::promise,
        does::promise, does::promise});
  for (auto x = 1; x <= 8; ++x)
    client.request(pool, x);
  run();
  CHECK(begun.size() == 8);
  advance(10ms);
  CHECK(begun.size() == 8 + 2);
  CHECK(stats().hedged == 2);
}

TEST_CASE_FIXTURE(
  world, "the delay of hedges may be a percentile of the measured times") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(libpool::percentile{90}, 100, queue()),
       {does::promise, does::answer});
  auto took = [&](std::chrono::milliseconds time) {
    client.request(pool, 1);
    run();
    advance(time);
    keep(promises.size() - 1, 5);
  };
  // The second worker is kept away, so that the first one gets all of them.
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{}, by_worker[1]);
  for (auto i = 0; i < 90; ++i)
    took(1ms);
  for (auto i = 0; i < 10; ++i)
    took(100ms);
  CHECK(stats().hedged == 0);
  put(by_worker[1]);
  client.ask(pool, 1); // of the one that was chosen longest ago
  begun.clear();
  client.request(pool, 1);
  run();
  REQUIRE(workers_in_order() == numbers{0});
  advance(999us);
  CHECK(workers_in_order() == numbers{0});
  advance(100us); // the histogram says at most a sixteenth too much
  CHECK(workers_in_order() == numbers{0, 1});
}

TEST_CASE_FIXTURE(world, "a pool with a single worker does not hedge") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise});
  auto number = client.request(pool, 1);
  run();
  advance(20ms);
  CHECK(begun.size() == 1);
  keep(0, 5);
  run();
  CHECK(client.answer_to(number).get<int>() == 5);
}

TEST_CASE_FIXTURE(
  world,
  "all workers of a quorum finish their tasks even if one answer suffices") {
  make(actor_pool::quorum(3, 1, queue()),
       {does::answer, does::answer, does::answer});
  CHECK(client.ask(pool, 1).count == 1);
  CHECK(begun.size() == 3);
  CHECK(books().completed == 3);
}

TEST_CASE_FIXTURE(
  world,
  "all workers of a quorum finish their tasks even if the client has ended") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::quorum(3, 1, queue()),
       {does::answer, does::answer, does::promise});
  client.request(pool, 1);
  run();
  {
    test::probe hasty{*this};
    CHECK(hasty.ask(pool, 2).came());
    hasty.die();
  }
  CHECK(begun.size() == 5);
  keep(0, 1);
  run();
  CHECK(begun.size() == 6);
  CHECK(books().cancelled == 0);
}

} // namespace managed_asking_several_tests
