/// Items of pipelines that users cancel.

#include "support/managed_world.hpp"
#include "support/pipeline_world.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace pipelines_cancelling_tests {

using libpool::actor_pool;
using libpool::cancel_counts;
using libpool::errc;
using libpool::pipeline;
using libpool::pool_stage;
using libpool::running_task;
using libpool::selection;
using test::probe;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : test::staged_world {
  world() {
    options.id_of = libpool::flow_by<int>([](int x) { return x; });
  }

  std::uint64_t request(int x) {
    auto result = client.request(line, x);
    run();
    return result;
  }

  cancel_counts cancel(const selection& which) {
    auto result = pipeline::cancel(line, which);
    run();
    return result;
  }

  void answer(const probe& stage, std::size_t position, int with) {
    stage.answer(position, with);
    run();
  }

  caf::error error_of(std::uint64_t request) const {
    auto answer = client.answer_to(request);
    CHECK(answer.count == 1);
    return answer.error();
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "cancelled items reach no further stage, wherever "
                         "they are, and are answered once") {
  spawn_by_hand({2, 1});
  auto at_second = request(1);
  answer(first, 0, 10);
  auto between = request(2);
  answer(first, 1, 20);
  auto at_first = request(3);
  REQUIRE(first->inbox.size() == 3);
  REQUIRE(second->inbox.size() == 1);
  auto counts = cancel(selection::of_client(client.pointer()));
  CHECK(counts.running == 2);
  CHECK(counts.waiting == 1);
  CHECK(cancel(selection::of_all()).running == 0); // they are cancelled already
  CHECK(client->inbox.empty());
  answer(first, 2, 30);
  CHECK(error_of(at_first) == errc::cancelled);
  answer(second, 0, 100);
  CHECK(error_of(at_second) == errc::cancelled);
  CHECK(error_of(between) == errc::cancelled);
  CHECK(second->inbox.size() == 1);
  CHECK(stats().cancelled == 3);
  auto next = request(4);
  answer(first, 3, 40);
  answer(second, 1, 400);
  CHECK(client.answer_to(next).get<int>() == 400);
}

TEST_CASE_FIXTURE(world, "items of one id are cancelled, and no others, also "
                         "if they wait for the first stage") {
  options.answer = libpool::answer_when::accepted;
  spawn_by_hand({1});
  for (auto x : {1, 2, 3, 2})
    client.send(line, x);
  run();
  auto counts = client.ask(line, caf::sys_atom{}, libpool::cancel_atom{},
                           selection::of_id("2"));
  CHECK(counts.get<cancel_counts>().waiting == 2);
  CHECK(counts.get<cancel_counts>().running == 0);
  CHECK_THROWS_WITH_AS(pipeline::cancel(line, selection::of_flow("2")),
                       "libpool: cancel: items of pipelines have no flows",
                       std::invalid_argument);
  for (std::size_t i = 0; i < 2; ++i)
    answer(first, i, 0);
  CHECK(test::numbers_of(first) == std::vector<int>{1, 3});
  CHECK(stats().cancelled == 2);
  CHECK(stats().completed == 2);
}

TEST_CASE_FIXTURE(world, "a request that is cancelled before it is accepted is "
                         "answered with cancelled") {
  options.answer = libpool::answer_when::accepted;
  spawn_by_hand({1});
  auto at_stage = request(1);
  auto waiting = request(2);
  CHECK(client.answer_to(at_stage).count == 1);
  CHECK(client.answer_to(waiting).count == 0);
  auto counts = cancel(selection::of_all());
  CHECK(counts.waiting + counts.running == 2);
  CHECK(error_of(waiting) == errc::cancelled);
  pipeline::drain(line);
  answer(first, 0, 10);
  CHECK(client.answer_to(waiting).count == 1);
  CHECK(first->inbox.size() == 1);
}

TEST_CASE_FIXTURE(world, "a pipeline without ids refuses to cancel by ids") {
  options.id_of = nullptr;
  spawn_by_hand({1});
  auto item = request(1);
  auto told = client.ask(line, caf::sys_atom{}, libpool::cancel_atom{},
                         selection::of_id("1"));
  CHECK(told.error() == caf::sec::invalid_argument);
  answer(first, 0, 10);
  CHECK(client.answer_to(item).get<int>() == 10);
}

TEST_CASE_FIXTURE(world, "a cancelled item is cancelled in the pool of its "
                         "stage, and its handler is asked to stop") {
  std::vector<running_task> tasks;
  std::vector<caf::response_promise> promises;
  libpool::managed_options how;
  how.deadline = 1h;
  auto worker = [&] {
    return system().spawn<scripted>([&](scripted& self) -> caf::behavior {
      return {[&](int) {
        tasks.push_back(libpool::this_task(&self));
        promises.push_back(self.make_response_promise());
        return promises.back();
      }};
    });
  };
  how.busy_until = libpool::busy_until::answer;
  spawn(pool_stage<int, int>("pool", 1, worker, actor_pool::shared_queue(how),
                             {3}));
  auto running = request(1);
  auto waiting = request(2);
  REQUIRE(tasks.size() == 1);
  CHECK(cancel(selection::of_id("2")).running == 1);
  CHECK(error_of(waiting) == errc::cancelled);
  CHECK_FALSE(tasks[0].stop_requested());
  CHECK(cancel(selection::of_all()).running == 1);
  CHECK(tasks[0].stop_requested());
  CHECK(error_of(running) == errc::cancelled);
  CHECK(stats().cancelled == 2);
  promises.clear();
  run();
  CHECK(tasks.size() == 1);
}

TEST_CASE_FIXTURE(world, "a client cancels its own items through a handle that "
                         "only submits") {
  spawn_by_hand({4});
  auto gate = actor_pool::submit_only(line);
  probe other{*this};
  auto mine = client.request(gate, 1);
  auto others = other.request(gate, 2);
  run();
  auto told = client.ask(gate, caf::sys_atom{}, libpool::cancel_atom{},
                         selection::of_all());
  CHECK(told.get<cancel_counts>().running == 1);
  answer(first, 0, 10);
  answer(first, 1, 20);
  CHECK(error_of(mine) == errc::cancelled);
  CHECK(other.answer_to(others).get<int>() == 20);
  other->inbox.clear();
}

TEST_CASE_FIXTURE(world, "a message of an outer pool is cancelled in the "
                         "pipeline that has it") {
  spawn_by_hand({1, 1});
  libpool::managed_options how;
  how.id_of = options.id_of;
  SUBCASE("that intercepts answers") {
    how.deadline = 1h;
  }
  SUBCASE("that does not") {}
  auto pool = actor_pool::make(system(), actor_pool::shared_queue(how));
  client.put(pool, line);
  auto sent = client.request(pool, 1);
  run();
  REQUIRE(first->inbox.size() == 1);
  CHECK(actor_pool::cancel(pool, selection::of_id("1")).running == 1);
  run();
  answer(first, 0, 10);
  CHECK(error_of(sent) == errc::cancelled);
  CHECK(second->inbox.empty());
  CHECK(stats().cancelled == 1);
  CHECK(actor_pool::stats(pool).tasks.cancelled == 1);
  CHECK(actor_pool::stats(pool).tasks.open() == 0);
  first->inbox.clear();
  stop(pool);
  held_elsewhere = true;
}

} // namespace pipelines_cancelling_tests
