/// Pipelines as workers of pools.

#include "support/pipeline_world.hpp"

namespace pipelines_nesting_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::function_stage;
using test::words;

namespace {

int no_sevens(int x) {
  return x == 7 ? throw std::runtime_error{"a seven"} : 2 * x;
}

/// A pipeline of one stage, `first`, and a managed pool.
struct world : test::staged_world {
  world() {
    how.when_empty = libpool::when_empty::wait;
  }

  ~world() {
    if (pool)
      stop(pool);
  }

  world(const world&) = delete;
  world& operator=(const world&) = delete;

  void make_pool(const std::vector<caf::actor>& workers) {
    pool = actor_pool::make(system(), actor_pool::shared_queue(how));
    for (auto& each : workers)
      client.put(pool, each);
  }

  /// Puts the pipeline, with that credit, into the pool.
  void make(std::size_t credit) {
    spawn_by_hand({credit});
    make_pool({line});
  }

  template <class... Ts>
  std::uint64_t request(const caf::actor& to, Ts&&... xs) {
    auto result = client.request(to, std::forward<Ts>(xs)...);
    run();
    return result;
  }

  void answer(std::size_t position, int with) {
    first.answer(position, with);
    run();
  }

  caf::actor other_line() {
    return libpool::spawn_pipeline(system(), function_stage("f", no_sevens));
  }

  libpool::ledger tasks() const {
    return actor_pool::stats(pool).tasks;
  }

  libpool::managed_options how;
  caf::actor pool;
};

} // namespace

TEST_CASE_FIXTURE(world, "a pipeline may be a worker of a managed pool") {
  how.window = 2;
  make_pool({other_line(), other_line()});
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 20; ++i)
    sent.push_back(client.request(pool, i));
  run();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    auto answer = client.answer_to(sent[i]);
    CHECK(answer.count == 1);
    if (i == 7)
      CHECK(answer.error() == errc::stage_failed);
    else
      CHECK(answer.get<int>() == 2 * static_cast<int>(i));
  }
  CHECK(tasks().completed == 20);
  CHECK(tasks().open() == 0);
}

TEST_CASE_FIXTURE(world, "if a worker of a pool is a pipeline, a task of the "
                         "pool completes when the pipeline answers the item") {
  make(1);
  client.send(pool, 1);
  request(pool, 2);
  CHECK(first.received() == 1); // the window is the stage's credit
  CHECK(tasks().completed == 0);
  answer(0, 1);
  CHECK(first.received() == 2);
  CHECK(tasks().completed == 1);
  answer(1, 1);
  CHECK(tasks().completed == 2);
}

TEST_CASE_FIXTURE(
  world,
  "a message of a pool waits while its pipeline is full of other items") {
  auto is_direct = false;
  SUBCASE("the pipeline is a worker of the pool") {
    make(1);
  }
  SUBCASE("the pipeline is in a direct pool") {
    is_direct = true;
    spawn_by_hand({1});
    make_pool({actor_pool::make(
      system(), 1, [this] { return line; }, actor_pool::round_robin())});
  }
  auto a = request(line, 1);
  auto b = request(pool, 2);
  CHECK_FALSE(client.answer_to(b).came());
  if (!is_direct)
    CHECK(tasks().waiting == 1);
  CHECK(stats().accepted == 1);
  answer(0, 3);
  CHECK(client.answer_to(a).get<int>() == 3);
  REQUIRE(first.received() == 2);
  answer(1, 4);
  CHECK(client.answer_to(b).get<int>() == 4);
  CHECK(tasks().completed == 1);
  CHECK(stats().refused == 0);
  stop(std::exchange(pool, nullptr));
}

TEST_CASE_FIXTURE(world,
                  "two pools get about equal service from a full pipeline that "
                  "both share, and all messages are handled") {
  make(4);
  auto second_pool = std::exchange(pool, nullptr);
  make_pool({line});
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 200; ++i) {
    sent.push_back(client.request(pool, 1));
    sent.push_back(client.request(second_pool, 2));
  }
  run();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    REQUIRE(first.received() > i);
    answer(i, 7);
  }
  for (auto each : sent) {
    CHECK(client.answer_to(each).count == 1);
    CHECK(client.answer_to(each).get<int>() == 7);
  }
  CHECK(stats().completed == 400);
  auto order = test::numbers_of(first);
  auto of_one = std::count(order.begin(), order.begin() + 200, 1);
  CHECK(of_one >= 90);
  CHECK(of_one <= 110);
  stop(second_pool);
}

TEST_CASE_FIXTURE(world, "a message that a pool keeps for a full pipeline runs "
                         "on another worker when the pipeline drains") {
  make(1);
  request(line, 1);
  auto waits = request(pool, 2);
  request(line, caf::sys_atom{}, libpool::drain_atom{});
  CHECK(actor_pool::stats(pool).workers == 0);
  CHECK_FALSE(client.answer_to(waits).came());
  client.put(pool, system().spawn<test::doubler>());
  CHECK(client.answer_to(waits).get<int>() == 4);
  answer(0, 1);
}

TEST_CASE_FIXTURE(world,
                  "a deadline of a pool of pipelines reaches the client") {
  how.deadline = std::chrono::seconds{1};
  make(1);
  auto a = request(pool, 1);
  advance(std::chrono::seconds{2});
  CHECK(client.answer_to(a).error() == errc::deadline_exceeded);
  answer(0, 3);
  CHECK(client.answer_to(a).count == 1);
}

TEST_CASE_FIXTURE(world,
                  "when a pipeline is killed, its open requests fail, and "
                  "later requests run on other workers of the pool") {
  make(4);
  client.put(pool, other_line());
  auto a = request(pool, 1);
  REQUIRE(first.received() == 1);
  caf::anon_send_exit(line, caf::exit_reason::kill);
  run();
  CHECK(client.answer_to(a).error() == caf::sec::request_receiver_down);
  for (auto i = 0; i < 5; ++i)
    CHECK(client.ask(pool, i).get<int>() == 2 * i);
}

TEST_CASE_FIXTURE(world, "a message that a removed pipeline has not yet "
                         "received runs on another worker of the pool") {
  how.window = 2;
  make(4);
  std::uint64_t second_one = 0;
  first->on_enqueue = [&](caf::mailbox_element&) {
    if (second_one == 0) { // while the pipeline handles the first one
      second_one = client.request(pool, 2);
      client.send(pool, caf::sys_atom{}, caf::delete_atom{}, line);
    }
  };
  auto first_one = request(line, 1);
  CHECK(first.received() == 1);
  CHECK_FALSE(client.answer_to(second_one).came());
  client.put(pool, other_line());
  CHECK(client.answer_to(second_one).get<int>() == 4);
  answer(0, 5);
  CHECK(client.answer_to(first_one).get<int>() == 5);
  CHECK(tasks().completed == 1);
}

TEST_CASE_FIXTURE(world, "a stage may be a pool of pipelines") {
  make_pool({other_line(), other_line()});
  spawn(libpool::pool_stage<int, int>("inner", pool)
        | function_stage("g", no_sevens));
  CHECK(client.ask(line, 2).get<int>() == 8);
  CHECK(words(client.ask(line, 7).error())
        == "stage 'inner' (1 of 2): stage 'f' (1 of 1): the function threw: a "
           "seven");
  finish();
}

TEST_CASE_FIXTURE(world, "an item of a pipeline that contains itself fails "
                         "when the pipeline is full") {
  auto again = actor_pool::make(system(), actor_pool::round_robin());
  spawn(libpool::pool_stage("again", again, {3}));
  client.put(again, line);
  auto answer = client.ask(line, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::stage_failed);
  CHECK(stats().accepted == 3);
  CHECK(stats().in_line == 0);
  client.remove_all(again);
}

TEST_CASE_FIXTURE(world,
                  "an item with the types of a management message is handled "
                  "by a worker, not by the pool of the stage") {
  auto worker = [this] {
    return system().spawn([](caf::event_based_actor*) -> caf::behavior {
      return {[](caf::sys_atom, caf::delete_atom) { return 7; }};
    });
  };
  for (const auto& policy :
       {actor_pool::shared_queue(), actor_pool::round_robin()}) {
    auto stage = actor_pool::make(system(), 2, worker, policy);
    run();
    spawn(libpool::pool_stage("stage", stage, {2}));
    for (auto i = 0; i < 3; ++i)
      CHECK(client.remove_all(line).get<int>() == 7);
    CHECK(actor_pool::stats(stage).workers == 2);
    finish();
    stop(stage);
  }
}

} // namespace pipelines_nesting_tests
