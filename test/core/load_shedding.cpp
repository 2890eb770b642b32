/// Waiting tasks that an overloaded pool drops.

#include "libpool/core/load_shedding.hpp"
#include "libpool/policies/order/exact_fair_queuing.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

using libpool::shed;
using test::dispatcher_world;
using namespace std::chrono_literals;

namespace {

const auto overloaded = std::string{": cancelled, "}
                        + to_string(libpool::errc::overloaded);

libpool::limits shedding(const shed& rule) {
  libpool::limits result;
  result.shed = rule;
  result.by_flow = true;
  return result;
}

libpool::composition by_flow() {
  auto result = test::composed(libpool::assignment::lazy, false);
  result.order = std::make_unique<libpool::exact_fair_queuing>();
  return result;
}

/// One worker. Tasks that wait for more than 10 ms, for 20 ms, mean overload.
struct shedding_world : dispatcher_world {
  explicit shedding_world(
    const libpool::limits& within = shedding({10ms, 20ms, {"vip"}}))
    : dispatcher_world(within) {
    join();
  }

  explicit shedding_world(libpool::composition parts)
    : dispatcher_world(std::move(parts), shedding({10ms, 20ms, {"vip"}})) {
    join();
  }

  /// Ends the task at the time.
  std::string end(std::size_t task, int at_ms) {
    now = moment(at_ms);
    return finish(task);
  }
};

} // namespace

TEST_CASE("rules of shedding with times of zero are refused") {
  CHECK(!objection_to(shed{}));
  CHECK(*objection_to(shed{0ns, 1s}) == "target must be above 0, got 0 ns");
  CHECK(*objection_to(shed{1s, 0ns}) == "interval must be above 0, got 0 ns");
}

TEST_CASE_FIXTURE(shedding_world,
                  "after an interval of long waits, tasks that have waited for "
                  "twice the target are dropped, and the newest goes first") {
  submit_all(8);
  CHECK(end(0, 11) == "end 0: completed; send 1 to 0"); // above the target
  CHECK(end(1, 30) == "end 1: completed; send 2 to 0"); // for 19 ms
  now = moment(25);
  CHECK(submit_all(2).empty()); // 8 and 9
  CHECK(end(2, 40)
        == "end 2: completed; end 3" + overloaded + "; end 4" + overloaded
             + "; end 5" + overloaded + "; end 6" + overloaded + "; end 7"
             + overloaded + "; send 9 to 0");
  CHECK(end(9, 42) == "end 9: completed; send 8 to 0");
  CHECK(pool.books().cancelled == 5);
  CHECK(pool.record().errors[libpool::errc::overloaded] == 5);
  submit_all(3);                                         // 10 to 12
  CHECK(end(8, 52) == "end 8: completed; send 10 to 0"); // 10 ms
  SUBCASE("also after a short wait") {
    CHECK(end(10, 60) == "end 10: completed; send 12 to 0"); // 18 ms
  }
  SUBCASE("until all waits in an interval were short") {
    does("cancel 11, cancel 12");
    now = moment(60);
    submit();                                                // 13
    CHECK(end(10, 62) == "end 10: completed; send 13 to 0"); // 20 ms since 42
    submit_all(2);
    CHECK(end(13, 75) == "end 13: completed; send 14 to 0"); // 13 ms
  }
}

TEST_CASE_FIXTURE(shedding_world, "one task that has waited for at most the "
                                  "target ends the interval") {
  submit_all(2);
  CHECK(end(0, 11) == "end 0: completed; send 1 to 0");
  now = moment(20);
  submit_all(2);
  CHECK(end(1, 30) == "end 1: completed; send 2 to 0"); // 10 ms
  CHECK(end(2, 60) == "end 2: completed; send 3 to 0");
}

TEST_CASE_FIXTURE(shedding_world, "tasks of exempt flows go in their turn, "
                                  "and urgent tasks first") {
  submit_of("a");
  submit_of("a");
  submit_of("a");
  submit_of("vip");
  submit_of("a");
  CHECK(end(0, 15) == "end 0: completed; send 1 to 0");
  CHECK(end(1, 36) == "end 1: completed; end 2" + overloaded + "; send 3 to 0");
  now = moment(50);
  submit_of("a");
  submit_of("a");
  submit_urgent();
  CHECK(end(3, 62) == "end 3: completed; send 7 to 0");
  CHECK(end(7, 63) == "end 7: completed; end 4" + overloaded + "; send 6 to 0");
}

TEST_CASE("a task that has begun before is not dropped") {
  auto within = shedding({10ms, 20ms, {}});
  within.retries = 1;
  shedding_world world{within};
  world.submit_all(3);
  CHECK(world.end(0, 15) == "end 0: completed; send 1 to 0");
  world.now = world.moment(50);
  world.pool.finished(world.tasks[1], libpool::ending::crashed, world.now);
  world.leave(0);
  CHECK(world.join() == "send 1 to 1");
  CHECK(world.end(1, 60) == "end 1: completed; end 2" + overloaded);
}

TEST_CASE_FIXTURE(shedding_world, "the time of a pause does not count") {
  submit_all(3);
  pool.suspended(now);
  decided();
  end(0, 100);
  now = moment(200);
  pool.reinstated(now);
  CHECK(decided() == "send 1 to 0");
  CHECK(end(1, 210) == "end 1: completed; send 2 to 0");
}

TEST_CASE("flows are overloaded one by one") {
  shedding_world world{by_flow()};
  for (auto i = 0; i < 4; ++i)
    world.submit_of("crowd");
  world.end(0, 15);
  world.end(1, 36);
  CHECK(world.pool.books().cancelled == 2); // 2 and 3
  for (auto i = 0; i < 3; ++i)
    world.submit_of("crowd"); // 4 to 6
  world.submit_of("calm");    // 7
  world.now = world.moment(50);
  world.submit_of("calm"); // 8
  CHECK(world.pool.books().cancelled == 2);
  auto made = world.end(4, 51);
  CHECK(world.pool.books().open() == 4);
  CHECK(made.find(overloaded) == std::string::npos);
}

TEST_CASE("two long waits are no overload if no task has waited between them") {
  shedding_world world{by_flow()};
  for (auto minute = 0; minute < 3; ++minute) {
    auto begin = minute * 60'000;
    world.now = world.moment(begin);
    world.submit_of("crowd");
    world.submit_of("calm");
    auto first = world.tasks.size() - 2;
    world.end(first, begin + 25);
    world.end(first + 1, begin + 30);
  }
  CHECK(world.pool.books().completed == 6);
}

TEST_CASE("tasks that a limit has held back are not dropped") {
  auto within = shedding({10ms, 20ms, {}});
  within.throttles.of_flows["a"].most_running = 1;
  shedding_world world{within};
  world.join();
  for (auto i = 0; i < 5; ++i)
    world.submit_of("a");
  for (auto i = 0; i < 5; ++i)
    world.end(static_cast<std::size_t>(i), 15 * (i + 1));
  CHECK(world.pool.books().completed == 5);
}

TEST_CASE("a dispatch drops a bounded number of tasks, and the next one goes "
          "on at once") {
  auto within = shedding({10ms, 20ms, {}});
  within.due_at_once = 2;
  shedding_world world{within};
  world.submit_all(6);
  world.end(0, 15);
  CHECK(world.end(1, 40)
        == "end 1: completed; end 2" + overloaded + "; end 3" + overloaded);
  CHECK(world.pool.next_tick() <= world.now);
  SUBCASE("unless the pool ends before") { // and dispatches no more
    world.pool.ticked(world.now);
    CHECK(world.pool.next_tick() == libpool::never);
    return;
  }
  CHECK(world.dispatch() == "end 4" + overloaded + "; end 5" + overloaded);
  CHECK(world.pool.next_tick() == libpool::never);
}

TEST_CASE("flows that are overloaded and never come back are forgotten") {
  libpool::load_shedding shedding{shed{10ms, 20ms, {}}, true};
  libpool::task waiting;
  waiting.accepted = {};
  auto judge = [&](int flow, libpool::duration when) {
    waiting.flow = libpool::flow_ref{flow};
    return shedding.judge(waiting, libpool::instant{} + when);
  };
  using verdict = libpool::load_shedding::verdict;
  CHECK(judge(0, 15ms) == verdict::in_turn);
  CHECK(judge(0, 40ms) == verdict::dropped);
  for (auto flow = 1; flow < 1'023; ++flow)
    judge(flow, 50ms);
  CHECK(judge(0, 30s) == verdict::dropped);
  judge(1'023, 30s);
  CHECK(judge(2'000, 62s) == verdict::in_turn); // forgets old ones
  CHECK(judge(1, 62s) == verdict::in_turn);
  CHECK(judge(0, 62s) == verdict::dropped);
}
