/// Pipelines as workers of pools, and CAF's own streams.

#include "support/pipeline_world.hpp"

#include <algorithm>
#include <stdexcept>

namespace pipelines_nesting_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::function_stage;
using test::pipeline_world;
using test::probe;
using test::words;

namespace {

int no_sevens(int x) {
  return x == 7 ? throw std::runtime_error{"a seven"} : 2 * x;
}

struct world : pipeline_world {
  /// A managed pool of the given workers.
  caf::actor pool_of(const std::vector<caf::actor>& workers,
                     libpool::managed_options how = {}) {
    auto next = std::make_shared<std::size_t>(0);
    how.workers = workers.size();
    return libpool::spawn_pool(system(), how, std::function<caf::actor()>{[=] {
                                 return workers.at((*next)++ % workers.size());
                               }});
  }

  void stop(const caf::actor& pool) {
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    run();
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a pipeline may be a worker of a managed pool") {
  libpool::managed_options how;
  how.window = 2;
  auto first = libpool::spawn_pipeline(system(),
                                       function_stage("f", no_sevens));
  auto second = libpool::spawn_pipeline(system(),
                                        function_stage("g", no_sevens));
  auto pool = pool_of({first, second}, how);
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 20; ++i)
    sent.push_back(client.request(pool, i));
  run();
  for (auto i = 0; i < 20; ++i) {
    auto answer = client.answer_to(sent[static_cast<std::size_t>(i)]);
    CHECK(answer.count == 1);
    if (i == 7)
      CHECK(answer.error() == errc::stage_failed);
    else
      CHECK(answer.get<int>() == 2 * i);
  }
  CHECK(actor_pool::stats(pool).tasks.completed == 20);
  CHECK(actor_pool::stats(pool).tasks.open() == 0);
  stop(pool);
}

TEST_CASE_FIXTURE(world, "if a worker of a pool is a pipeline, a task of the "
                         "pool completes when the pipeline answers the item") {
  probe stage{*this};
  spawn(by_hand("only", stage, 1));
  auto pool = pool_of({line});
  client.send(pool, 1);
  client.send(pool, 2);
  run();
  CHECK(stage.received() == 1); // the window is the stage's credit
  CHECK(actor_pool::stats(pool).tasks.completed == 0);
  stage.answer(0, 1);
  run();
  CHECK(stage.received() == 2);
  CHECK(actor_pool::stats(pool).tasks.completed == 1);
  stage.answer(1, 1);
  run();
  CHECK(actor_pool::stats(pool).tasks.completed == 2);
  stop(pool);
}

TEST_CASE_FIXTURE(
  world,
  "a message of a pool waits while its pipeline is full of other items") {
  probe stage{*this};
  spawn(by_hand("only", stage, 1));
  auto pool = pool_of({line});
  auto a = client.request(line, 1);
  auto b = client.request(pool, 2);
  run();
  CHECK_FALSE(client.answer_to(b).came());
  CHECK(actor_pool::stats(pool).tasks.waiting == 1);
  CHECK(stats().accepted == 1);
  stage.answer(0, 3);
  run();
  CHECK(client.answer_to(a).get<int>() == 3);
  stage.answer(1, 4);
  run();
  CHECK(client.answer_to(b).get<int>() == 4);
  CHECK(actor_pool::stats(pool).tasks.completed == 1);
  CHECK(stats().refused == 0);
  stop(pool);
}

TEST_CASE_FIXTURE(world,
                  "two pools get about equal service from a full pipeline that "
                  "both share, and all messages are handled") {
  probe stage{*this};
  spawn(by_hand("only", stage, 4));
  auto first = pool_of({line});
  auto second = pool_of({line});
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 200; ++i) {
    sent.push_back(client.request(first, 1));
    sent.push_back(client.request(second, 2));
  }
  run();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    REQUIRE(stage.received() > i);
    stage.answer(i, 7);
    run();
  }
  for (auto each : sent) {
    CHECK(client.answer_to(each).count == 1);
    CHECK(client.answer_to(each).get<int>() == 7);
  }
  CHECK(stats().completed == 400);
  auto order = test::numbers_of(stage);
  auto half = order.begin() + 200;
  auto of_first = std::count(order.begin(), half, 1);
  CHECK(of_first >= 90);
  CHECK(of_first <= 110);
  stop(first);
  stop(second);
}

TEST_CASE_FIXTURE(world, "a message that a pool keeps for a full pipeline runs "
                         "on another worker when the pipeline drains") {
  probe stage{*this};
  spawn(by_hand("only", stage, 1));
  libpool::managed_options how;
  how.when_empty = libpool::when_empty::wait;
  auto pool = pool_of({line}, how);
  client.request(line, 1);
  auto waits = client.request(pool, 2);
  run();
  client.send(line, caf::sys_atom{}, libpool::drain_atom{});
  run();
  CHECK(actor_pool::stats(pool).workers == 0);
  client.ask(pool, caf::sys_atom{}, caf::put_atom{},
             system().spawn<test::doubler>());
  CHECK(client.answer_to(waits).get<int>() == 4);
  stage.answer(0, 1);
  run();
  stop(pool);
}

TEST_CASE_FIXTURE(
  world,
  "a message for a direct pool waits while the pipeline inside is full") {
  probe stage{*this};
  spawn(by_hand("only", stage, 1));
  auto direct = actor_pool::make(
    system(), 1, [this] { return line; }, actor_pool::round_robin());
  auto pool = pool_of({direct});
  client.request(line, 1);
  auto b = client.request(pool, 2);
  run();
  CHECK_FALSE(client.answer_to(b).came());
  stage.answer(0, 3);
  run();
  REQUIRE(stage.received() == 2);
  stage.answer(1, 4);
  run();
  CHECK(client.answer_to(b).get<int>() == 4);
  client.ask(direct, caf::sys_atom{}, caf::delete_atom{});
  stop(pool);
}

TEST_CASE_FIXTURE(world,
                  "a deadline of a pool of pipelines reaches the client") {
  probe stage{*this};
  spawn(by_hand("only", stage, 1));
  libpool::managed_options how;
  how.deadline = std::chrono::seconds{1};
  auto pool = pool_of({line}, how);
  auto a = client.request(pool, 1);
  run();
  advance(std::chrono::seconds{2});
  CHECK(client.answer_to(a).error() == errc::deadline_exceeded);
  stage.answer(0, 3);
  run();
  CHECK(client.answer_to(a).count == 1);
  stop(pool);
}

TEST_CASE_FIXTURE(world,
                  "when a pipeline is killed, its open requests fail, and "
                  "later requests run on other workers of the pool") {
  probe stage{*this};
  spawn(by_hand("only", stage, 4));
  auto other = libpool::spawn_pipeline(system(),
                                       function_stage("f", no_sevens));
  auto pool = pool_of({line, other});
  auto a = client.request(pool, 1);
  run();
  REQUIRE(stage.received() == 1);
  caf::anon_send_exit(line, caf::exit_reason::kill);
  run();
  CHECK(client.answer_to(a).error() == caf::sec::request_receiver_down);
  for (auto i = 0; i < 5; ++i)
    CHECK(client.ask(pool, i).get<int>() == 2 * i);
  stop(pool);
}

TEST_CASE_FIXTURE(world, "a message that a removed pipeline has not yet "
                         "received runs on another worker of the pool") {
  probe stage{*this};
  spawn(by_hand("only", stage, 4));
  libpool::managed_options how;
  how.window = 2;
  how.when_empty = libpool::when_empty::wait;
  auto pool = pool_of({line}, how);
  std::uint64_t second = 0;
  stage->on_enqueue = [&](caf::mailbox_element&) {
    if (second == 0) { // while the pipeline handles the first one
      second = client.request(pool, 2);
      client.send(pool, caf::sys_atom{}, caf::delete_atom{}, line);
    }
  };
  constexpr std::uint64_t first = 1;
  client.request(line, 1);
  run();
  CHECK(stage.received() == 1);
  CHECK_FALSE(client.answer_to(second).came());
  auto other = libpool::spawn_pipeline(system(),
                                       function_stage("f", no_sevens));
  client.ask(pool, caf::sys_atom{}, caf::put_atom{}, other);
  CHECK(client.answer_to(second).get<int>() == 4);
  stage.answer(0, 5);
  run();
  CHECK(client.answer_to(first).get<int>() == 5);
  CHECK(actor_pool::stats(pool).tasks.completed == 1);
  stop(pool);
}

TEST_CASE_FIXTURE(world, "a stage may be a pool of pipelines") {
  std::vector<caf::actor> inner;
  for (auto i = 0; i < 2; ++i)
    inner.push_back(
      libpool::spawn_pipeline(system(), function_stage("f", no_sevens)));
  auto pool = pool_of(inner);
  inner.clear();
  spawn(libpool::pool_stage<int, int>("inner", pool)
        | function_stage("g", no_sevens));
  CHECK(client.ask(line, 2).get<int>() == 8);
  CHECK(words(client.ask(line, 7).error())
        == "stage 'inner' (1 of 2): stage 'f' (1 of 1): the function threw: a "
           "seven");
  finish();
  stop(pool);
}

TEST_CASE_FIXTURE(world, "an item of a pipeline that contains itself fails "
                         "when the pipeline is full") {
  auto pool = actor_pool::make(system(), actor_pool::round_robin());
  spawn(libpool::pool_stage("again", pool, {3}));
  client.ask(pool, caf::sys_atom{}, caf::put_atom{}, line);
  auto answer = client.ask(line, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::stage_failed);
  CHECK(stats().accepted == 3);
  CHECK(stats().in_line == 0);
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{});
}

TEST_CASE_FIXTURE(pipeline_world,
                  "an item with the types of a management message is handled "
                  "by a worker, not by the pool of the stage") {
  auto stage = [this](libpool::policy how) {
    return libpool::actor_pool::make(
      system(), 2,
      [this] {
        return system().spawn(
          [](caf::event_based_actor*, int) {
            return caf::behavior{
              [](caf::sys_atom, caf::delete_atom) { return 7; }};
          },
          0);
      },
      std::move(how));
  };
  caf::actor pool;
  SUBCASE("of a managed pool") {
    pool = stage(libpool::actor_pool::shared_queue());
  }
  SUBCASE("of a direct pool") {
    pool = stage(libpool::actor_pool::round_robin());
  }
  run();
  spawn(libpool::pool_stage("stage", pool, {2}));
  for (auto i = 0; i < 3; ++i)
    CHECK(client.ask(line, caf::sys_atom{}, caf::delete_atom{}).get<int>()
          == 7);
  CHECK(libpool::actor_pool::stats(pool).workers == 2);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  held_elsewhere = true;
}

TEST_CASE_FIXTURE(
  pipeline_world,
  "a drained pipeline gives messages of a pool back to the pool") {
  auto doubled = [](int x) { return 2 * x; };
  spawn(libpool::function_stage("double", doubled));
  libpool::managed_options outer_options;
  outer_options.when_empty = libpool::when_empty::wait;
  auto outer = libpool::actor_pool::make(
    system(), libpool::actor_pool::shared_queue(outer_options));
  client.ask(outer, caf::sys_atom{}, caf::put_atom{}, line);
  CHECK(client.ask(outer, 2).get<int>() == 4);
  client.ask(line, caf::sys_atom{}, libpool::drain_atom{});
  auto number = client.request(outer, 3);
  run();
  CHECK_FALSE(client.answer_to(number).came());
  client.ask(outer, caf::sys_atom{}, caf::put_atom{},
             system().spawn<test::doubler>());
  CHECK(client.answer_to(number).get<int>() == 6);
  caf::anon_send_exit(outer, caf::exit_reason::user_shutdown);
  outer = nullptr;
  run();
}

} // namespace pipelines_nesting_tests
