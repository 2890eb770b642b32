#include "support/crew_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace managed_asking_several_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using test::append;
using test::crew_world;
using test::numbers;
using test::reply;

namespace {

struct world : crew_world {
  using crew_world::crew_world;

  libpool::policy everybody(const gather_options& how = {}) const {
    return actor_pool::broadcast_all<numbers>(append, numbers{}, how, queue());
  }

  libpool::policy hedging() const {
    return actor_pool::hedged(10ms, 100, queue());
  }

  /// The only answer to 1 of a pool of these workers.
  reply answer_of(const libpool::policy& how,
                  const std::vector<does>& scripts) {
    make(how, scripts);
    return only_answer(client.request(pool, 1));
  }

  reply only_answer(std::uint64_t request) {
    run();
    auto result = client.answer_to(request);
    CHECK(result.count == 1);
    return result;
  }

  numbers sorted_answer(std::uint64_t request) {
    auto result = only_answer(request).get<numbers>();
    std::sort(result.begin(), result.end());
    return result;
  }

  std::size_t errors_in(const reply& answer) const {
    return libpool::errors_in(answer.error()).size();
  }

  /// Asks that the worker be removed.
  std::uint64_t remove(std::size_t i) {
    return client.request(pool, caf::sys_atom{}, caf::delete_atom{},
                          by_worker[i]);
  }

  static inline const std::vector<does> three{does::answer, does::answer,
                                              does::answer};
};

using does = world::does;

} // namespace

// -- broadcast_all ------------------------------------------------------------

TEST_CASE("broadcast_all sends every message to every worker once, to a busy "
          "one when it is free") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    world w{seed};
    if (seed % 2 == 0)
      w.options.window = 1;
    w.make(w.everybody(), world::three);
    std::vector<std::uint64_t> asked;
    for (auto x = 0; x < 5; ++x)
      asked.push_back(w.client.request(w.pool, x));
    w.run();
    for (auto x = 0; x < 5; ++x)
      CHECK(w.sorted_answer(asked[static_cast<std::size_t>(x)])
            == numbers{x, 100 + x, 200 + x});
  }
}

TEST_CASE_FIXTURE(world, "with the option ordered, broadcast_all joins results "
                         "in the order of the workers") {
  gather_options how;
  how.ordered = true;
  CHECK(answer_of(everybody(how), three).get<numbers>()
        == numbers{1, 101, 201});
}

TEST_CASE_FIXTURE(
  world,
  "broadcast_all fails, or joins the other results, when a worker fails") {
  SUBCASE("by default, with an error that names the worker") {
    auto answer = answer_of(everybody(),
                            {does::answer, does::fail, does::answer});
    CHECK(answer.error() == errc::worker_failed);
    CHECK(says(answer, test::name_of(by_worker[1])));
  }
  SUBCASE("with join_what_came") {
    gather_options how;
    how.join_what_came = true;
    make(everybody(how), {does::answer, does::crash, does::answer});
    CHECK(sorted_answer(client.request(pool, 1)) == numbers{1, 201});
  }
  SUBCASE("in an empty pool, with no_workers") {
    CHECK(answer_of(everybody(), {}).error() == errc::no_workers);
  }
}

TEST_CASE_FIXTURE(
  world,
  "broadcast_all fails if a worker terminates before it has started its task, "
  "and does not wait for a worker that is removed") {
  make(everybody(), {does::answer, does::answer});
  auto number = client.request(pool, 1);
  SUBCASE("terminated") {
    kill(by_worker[1]);
    CHECK(only_answer(number).error() == errc::worker_down);
  }
  SUBCASE("removed") {
    CHECK(only_answer(remove(1)).is_empty());
    CHECK(only_answer(number).get<numbers>() == numbers{1});
    add(does::fail);
    number = client.request(pool, 2);
    remove(0);
    CHECK(only_answer(number).error() == errc::worker_failed);
  }
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
      w.make(w.everybody(how), {does::answer, does::answer});
      auto number = w.client.request(w.pool, 1);
      for (auto i = 0; i < others; ++i)
        w.add(does::answer);
      w.remove(0);
      w.remove(1);
      auto answer = w.only_answer(number);
      CHECK(w.begun.empty());
      CHECK(answer.error() == errc::worker_down);
      for (const auto* part :
           {"removed before they began: ", "worker 0", "worker 1"})
        CHECK(w.says(answer, part));
      CHECK(w.stats().errors[errc::worker_down] == 2);
    }
}

TEST_CASE_FIXTURE(
  world,
  "a gather with join_what_came fails with all errors if no worker succeeded") {
  gather_options how;
  how.join_what_came = true;
  SUBCASE("broadcast_all") {
    auto answer = answer_of(everybody(how), {does::fail, does::crash});
    CHECK(answer.error() == errc::too_few_answers);
    CHECK(errors_in(answer) == 2);
  }
  SUBCASE("managed_split_join") {
    make(test::splitting(*this, how), {does::fail});
    auto answer = only_answer(client.request(pool, numbers{1, 2, 3}));
    CHECK(answer.error() == errc::too_few_answers);
    CHECK(errors_in(answer) == 3);
  }
  SUBCASE("in time") {
    how.timeout = 10ms;
    make(everybody(how), {does::promise});
    auto number = client.request(pool, 1);
    run();
    advance(10ms);
    CHECK(only_answer(number).error() == errc::timeout);
  }
}

// -- first_success ------------------------------------------------------------

TEST_CASE_FIXTURE(world, "first_success answers with the first result, and "
                         "cancels tasks that have not started") {
  auto answer = answer_of(actor_pool::first_success(3, queue()), three);
  CHECK(answer.get<int>() % 100 == 1);
  CHECK(begun.size() == 1); // the others were in mailboxes, and taken back
  CHECK(books().cancelled == 2);
}

TEST_CASE_FIXTURE(world, "first_success succeeds if one of the workers does, "
                         "and fails with the errors of all workers if none") {
  SUBCASE("one") {
    auto answer = answer_of(actor_pool::first_success(3, queue()),
                            {does::fail, does::crash, does::answer});
    CHECK(answer.get<int>() == 201);
  }
  SUBCASE("none") {
    auto answer = answer_of(actor_pool::first_success(2, queue()),
                            {does::fail, does::fail});
    CHECK(answer.error() == errc::too_few_answers);
    auto theirs = libpool::errors_in(answer.error());
    CHECK(theirs
          == std::vector<caf::error>{errc::worker_failed, errc::worker_failed});
    for (auto& each : by_worker)
      CHECK(says(answer, test::name_of(each)));
  }
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
    remove(1);
  }
  CHECK(only_answer(number).get<int>() == 201);
}

// -- quorum -------------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a quorum of 2 out of 3 is reached even if a worker fails") {
  make(actor_pool::quorum<numbers>(3, 2, append, {}, {}, queue()),
       {does::answer, does::fail, does::answer});
  CHECK(sorted_answer(client.request(pool, 1)) == numbers{1, 201});
}

TEST_CASE_FIXTURE(world, "a quorum that cannot be reached fails at once with "
                         "the errors of the workers") {
  auto answer = answer_of(actor_pool::quorum(3, 2, queue()),
                          {does::fail, does::fail, does::promise});
  CHECK(answer.error() == errc::too_few_answers);
  CHECK(says(answer, "2 of 3 answers required, got 0"));
  CHECK(errors_in(answer) == 2);
}

TEST_CASE_FIXTURE(
  world, "a quorum that needs more workers than the pool has fails at once") {
  auto answer = answer_of(actor_pool::quorum(3, 2, queue()), {does::answer});
  CHECK(answer.error() == errc::too_few_workers);
  CHECK(says(answer, "2 answers required, but the pool has 1 worker"));
  add(does::answer);
  CHECK(client.ask(pool, 1).get<int>() % 100 == 1);
}

TEST_CASE_FIXTURE(world, "a quorum without a join function answers with the "
                         "first result once enough workers have succeeded") {
  make(actor_pool::quorum(2, 2, queue()), {does::answer, does::promise});
  auto number = client.request(pool, 1);
  run();
  CHECK_FALSE(client.answer_to(number).came());
  keep(0, 9);
  CHECK(only_answer(number).get<int>() == 1);
}

TEST_CASE_FIXTURE(world, "all workers of a quorum finish their tasks even if "
                         "one answer suffices or the client has ended") {
  options.busy_until = libpool::busy_until::answer;
  auto answer = answer_of(actor_pool::quorum(3, 1, queue()),
                          {does::answer, does::answer, does::promise});
  CHECK(answer.came());
  CHECK(begun.size() == 3);
  CHECK(books().completed == 2);
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

// -- hedged -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a hedged message goes to a second worker if the "
                         "first does not answer in time") {
  options.busy_until = libpool::busy_until::answer;
  make(hedging(), {does::promise, does::answer});
  auto number = client.request(pool, 1);
  run();
  advance(9ms);
  CHECK(workers_in_order() == numbers{0});
  SUBCASE("if the first takes long") {
    advance(1ms);
    CHECK(workers_in_order() == numbers{0, 1});
    CHECK(client.answer_to(number).get<int>() == 101);
    CHECK(stats().hedged == 1);
    keep(0, 5);
    CHECK(only_answer(number).get<int>() == 101);
  }
  SUBCASE("not if the first answers in time") {
    keep(0, 5);
    advance(50ms);
    CHECK(workers_in_order() == numbers{0});
    CHECK(only_answer(number).get<int>() == 5);
    CHECK(stats().hedged == 0);
  }
}

TEST_CASE_FIXTURE(world,
                  "an error that comes in time answers a hedged message") {
  auto answer = answer_of(hedging(), {does::fail, does::answer});
  CHECK(answer.error() == errc::worker_failed);
  CHECK(begun.size() == 1);
}

TEST_CASE_FIXTURE(
  world,
  "a hedged message fails with the errors of both workers if both fail") {
  options.busy_until = libpool::busy_until::answer;
  make(hedging(), {does::promise, does::fail});
  auto number = client.request(pool, 1);
  run();
  advance(10ms);
  CHECK_FALSE(client.answer_to(number).came());
  keep(0, caf::make_error(caf::sec::runtime_error));
  CHECK(only_answer(number).error() == errc::too_few_answers);
  CHECK(errors_in(client.answer_to(number)) == 2);
}

TEST_CASE_FIXTURE(world, "a pool hedges at most as many messages as the budget "
                         "allows, and none if it has a single worker") {
  options.busy_until = libpool::busy_until::answer;
  auto messages = 8;
  SUBCASE("at most 25 percent of 8 messages") {
    make(actor_pool::hedged(10ms, 25, queue()),
         std::vector<does>(10, does::promise));
  }
  SUBCASE("none with a single worker") {
    make(hedging(), {does::promise});
    messages = 1;
  }
  for (auto x = 1; x <= messages; ++x)
    client.request(pool, x);
  run();
  advance(10ms);
  CHECK(stats().hedged == messages / 4);
  CHECK(begun.size() == static_cast<std::size_t>(messages) + stats().hedged);
}

} // namespace managed_asking_several_tests
