#include "support/gather_world.hpp"

#include <algorithm>
#include <chrono>

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using test::append;
using test::numbers;
using world = test::gather_world;
using does = world::does;

namespace {

numbers sorted(numbers what) {
  std::sort(what.begin(), what.end());
  return what;
}

libpool::policy everybody(const world& w, gather_options options = {}) {
  return actor_pool::broadcast_all<numbers>(append, numbers{}, options,
                                            w.queue());
}

} // namespace

// -- broadcast_all ------------------------------------------------------------

TEST_CASE("every worker gets every message, once") {
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

TEST_CASE_FIXTURE(world, "in the order of the workers, where that is wanted") {
  gather_options how;
  how.ordered = true;
  make(everybody(*this, how), {does::answer, does::answer, does::answer});
  CHECK(client.ask(pool, 1).get<numbers>() == numbers{1, 101, 201});
}

TEST_CASE_FIXTURE(world, "one of all fails") {
  SUBCASE("with an error that names it") {
    make(everybody(*this), {does::answer, does::fail, does::answer});
    auto answer = client.ask(pool, 1);
    CHECK(answer.error() == errc::worker_failed);
    CHECK(text(answer).find(test::name_of(by_worker[1])) != std::string::npos);
  }
  SUBCASE("and the others are enough") {
    gather_options how;
    how.join_what_came = true;
    make(everybody(*this, how), {does::answer, does::crash, does::answer});
    CHECK(sorted(client.ask(pool, 1).get<numbers>()) == numbers{1, 201});
  }
}

TEST_CASE_FIXTURE(world, "nobody is there") {
  pool = actor_pool::make(system(), everybody(*this));
  CHECK(client.ask(pool, 1).error() == errc::no_workers);
}

TEST_CASE_FIXTURE(world, "a worker that dies before it begins has failed") {
  make(everybody(*this), {does::answer, does::answer});
  auto number = client.request(pool, 1);
  kill(by_worker[1]);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::worker_down);
}

TEST_CASE_FIXTURE(world, "a worker that is taken out is not waited for") {
  make(everybody(*this), {does::answer, does::answer});
  auto number = client.request(pool, 1);
  auto out = client.request(pool, caf::sys_atom{}, caf::delete_atom{},
                            by_worker[1]);
  run();
  CHECK(client.answer_to(out).is_empty());
  CHECK(client.answer_to(number).get<numbers>() == numbers{1});
  CHECK(client.ask(pool, 2).get<numbers>() == numbers{2});
}

TEST_CASE_FIXTURE(world, "a busy worker takes its part when it is free") {
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

TEST_CASE_FIXTURE(world,
                  "the first success is the answer; the rest is stopped") {
  make(actor_pool::first_success(3, queue()),
       {does::answer, does::answer, does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.get<int>() % 100 == 1);
  CHECK(begun.size() == 1); // the others were in mailboxes, and taken back
  CHECK(books().cancelled == 2);
}

TEST_CASE_FIXTURE(world, "those who fail are passed over") {
  make(actor_pool::first_success(3, queue()),
       {does::fail, does::crash, does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.get<int>() == 201);
}

TEST_CASE_FIXTURE(world, "all fail: an error that carries theirs") {
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

TEST_CASE_FIXTURE(world, "those with less to do are asked") {
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

TEST_CASE_FIXTURE(world, "a worker that is gone before it began is replaced") {
  make(actor_pool::first_success(2, queue()),
       {does::fail, does::answer, does::answer});
  auto number = client.request(pool, 1); // of the first two
  SUBCASE("dead") {
    kill(by_worker[1]);
  }
  SUBCASE("taken out") {
    client.request(pool, caf::sys_atom{}, caf::delete_atom{}, by_worker[1]);
  }
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<int>() == 201);
}

// -- quorum -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "k of n are enough") {
  make(actor_pool::quorum<numbers>(3, 2, append, {}, {}, queue()),
       {does::answer, does::fail, does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(sorted(answer.get<numbers>()) == numbers{1, 201});
}

TEST_CASE_FIXTURE(world, "too many fail: at once, with what they said") {
  make(actor_pool::quorum(3, 2, queue()),
       {does::fail, does::fail, does::promise});
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::too_few_answers);
  CHECK(text(answer).find("2 of 3 answers needed, 0 came")
        != std::string::npos);
  CHECK(libpool::errors_in(answer.error()).size() == 2);
}

TEST_CASE_FIXTURE(world, "too few workers") {
  make(actor_pool::quorum(3, 2, queue()), {does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.error() == errc::too_few_workers);
  CHECK(text(answer).find("2 of 3 have to answer, 1 workers are there")
        != std::string::npos);
  add(does::answer);
  CHECK(client.ask(pool, 1).came());
}

TEST_CASE_FIXTURE(world, "the first result, once there are enough") {
  make(actor_pool::quorum(2, 2, queue()), {does::answer, does::promise});
  auto number = client.request(pool, 1);
  run();
  CHECK_FALSE(client.answer_to(number).came());
  keep(0, 9);
  run();
  CHECK(client.answer_to(number).get<int>() == 1);
}

// -- hedged -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a second worker is asked when the first takes long") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::answer});
  auto number = client.request(pool, 1);
  run();
  CHECK(who() == numbers{0});
  advance(9ms);
  CHECK(who() == numbers{0});
  advance(1ms);
  CHECK(who() == numbers{0, 1});
  CHECK(client.answer_to(number).get<int>() == 101);
  CHECK(stats().hedged == 1);
  keep(0, 5);
  run();
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(world, "nobody else is asked when the first is in time") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::answer});
  auto number = client.request(pool, 1);
  run();
  advance(9ms);
  keep(0, 5);
  run();
  advance(50ms);
  CHECK(who() == numbers{0});
  CHECK(client.answer_to(number).get<int>() == 5);
  CHECK(stats().hedged == 0);
}

TEST_CASE_FIXTURE(world, "an error in time is the answer") {
  make(actor_pool::hedged(10ms, 100, queue()), {does::fail, does::answer});
  auto answer = client.ask(pool, 1);
  CHECK(answer.error() == errc::worker_failed);
  CHECK(begun.size() == 1);
}

TEST_CASE_FIXTURE(world, "both fail: an error that carries theirs") {
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

TEST_CASE_FIXTURE(world, "no more are asked twice than the budget allows") {
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

TEST_CASE_FIXTURE(world, "the delay is a percentile of what was seen") {
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
  REQUIRE(who() == numbers{0});
  advance(999us);
  CHECK(who() == numbers{0});
  advance(100us); // the histogram says at most a sixteenth too much
  CHECK(who() == numbers{0, 1});
}

TEST_CASE_FIXTURE(world, "a pool with one worker has nobody else to ask") {
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

TEST_CASE_FIXTURE(world, "a quorum that has been reached is done by all") {
  make(actor_pool::quorum(3, 1, queue()),
       {does::answer, does::answer, does::answer});
  CHECK(client.ask(pool, 1).count == 1);
  CHECK(begun.size() == 3);
  CHECK(books().completed == 3);
}
