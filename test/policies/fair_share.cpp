#include "libpool/policies/fair_share.hpp"
#include "libpool/policies/estimating_placement.hpp"
#include "support/estimates_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>

namespace fair_share_tests {

using libpool::assignment;
using libpool::fair_share;
using test::estimating;
using world = test::estimates_world<fair_share>;
using names = world::names;
using namespace std::chrono_literals;

// Expectations are sums of the rests of the tasks in flight and of the
// estimate, in nanoseconds, for workers 0, 1 and so on.

TEST_CASE("the placement fair_share chooses the worker that is expected to end "
          "the task first") {
  world w{estimating()};
  w.join_all(2);
  w.sample(0, 10ns);
  w.sample(1, 4ns);
  // 10 4, then 10 8, then 10 12, then 20 12, 20 16, 20 20 (fewer in flight).
  CHECK(w.submit_all(6) == names{1, 1, 0, 1, 1, 0});
}

TEST_CASE("if several workers would end a task at the same time, the rule for "
          "ties chooses among these workers") {
  world w{estimating(10)};
  w.join_all(3);
  CHECK(w.submit_all(4) == names{0, 1, 2, 0});
  w.finish(0); // a sample of 0: the estimates are 0 0 0
  // The rest of each load, and ties: 10 10 10, all with one in flight: 1 is the
  // one chosen less recently.
  CHECK(w.submit() == 1);
}

TEST_CASE("a burst of tasks is spread over the workers even before any task "
          "has ended") {
  SUBCASE("by the initial estimate") {
    world w{estimating(10)};
    w.join_all(3);
    CHECK(w.submit_all(7) == names{0, 1, 2, 0, 1, 2, 0});
  }
  SUBCASE("by the tie rule if there is no estimate") {
    world w{estimating()};
    w.join_all(3);
    CHECK(w.submit_all(7) == names{0, 1, 2, 0, 1, 2, 0});
  }
}

TEST_CASE("tasks that were assigned without an estimate are charged to their "
          "workers once an estimate is available") {
  world w{estimating()};
  w.join_all(2);
  CHECK(w.submit_only({0}) == 0); // both run from 0 on
  CHECK(w.submit_only({1}) == 1);
  w.submit_only({1}); // waits behind the other one
  w.pass(6ns);
  w.finish(0); // 6 ns are the estimate of both, and the cost of the others
  // 0+6; of worker 1, the running one has overrun: 12-6, and 6, and 6.
  CHECK(w.submit() == 0);
  // 6+6, 6+6+6
  CHECK(w.submit() == 0);
  // 12+6, 18: fewer in flight, and chosen less recently, 2 and 2
  CHECK(w.submit() == 1);
}

TEST_CASE("the load of a worker decreases while its task runs") {
  world w{estimating(10)};
  w.join_all(2);
  w.submit_only({0}); // at 0
  w.pass(3ns);
  w.submit_only({1}); // at 3
  w.pass(1ns);
  // At 4: 6+10, 9+10.
  CHECK(w.submit() == 0);
  // 16+10, 9+10
  CHECK(w.submit() == 1);
}

TEST_CASE("the estimate that a worker is charged for a running task is doubled "
          "when the task exceeds the estimate") {
  world w{estimating(10)};
  w.join_all(2);
  w.submit_only({0}); // at 0
  w.pass(5ns);
  w.submit_only({1}); // at 5
  SUBCASE("before the task overruns") {
    w.pass(4ns);
    // At 9: 1, 6.
    CHECK(w.submit() == 0);
  }
  SUBCASE("when the task overruns") {
    w.pass(5ns);
    // At 10: 20-10, 5.
    CHECK(w.submit() == 1);
  }
  SUBCASE("when the task overruns again") {
    w.pass(15ns);
    // At 20: 40-20, 20-15; then 20, 15; then 20, 25.
    CHECK(w.submit_all(3) == names{1, 1, 0});
  }
}

TEST_CASE("if a worker runs several tasks, the estimate of each task that "
          "exceeds its estimate is doubled separately") {
  world w{estimating(10)};
  w.join(8, 0ns, 2); // two at once
  w.join(8, 0ns, 2);
  w.submit_only({0}); // at 0
  w.pass(4ns);
  w.submit_only({0}); // at 4
  w.submit_only({1}); // at 4
  w.pass(2ns);
  w.submit_only({1}); // at 6
  w.pass(3ns);
  // At 9: 1 + 5, 5 + 7.
  CHECK(w.submit() == 0);
  w.cancel(w.last());
  w.pass(1ns);
  // At 10: 10 + 4, 4 + 6.
  CHECK(w.submit() == 1);
  w.cancel(w.last());
  w.pass(4ns);
  // At 14: 6 + 10, 10 + 2.
  CHECK(w.submit() == 1);
  w.cancel(w.last());
  w.pass(2ns);
  // At 16: 4 + 8, 8 + 10.
  CHECK(w.submit() == 0);
}

TEST_CASE("a worker whose running task does not end gets new tasks more and "
          "more rarely") {
  world w{estimating(10)};
  w.join_all(2);
  w.submit_only({0}); // never ends
  std::size_t chosen = 0;
  for (auto i = 0; i < 1000; ++i) {
    auto worker = w.submit();
    auto task = w.last();
    w.pass(10ns);
    if (worker == 0)
      ++chosen;
    else
      w.finish(task);
  }
  // The rest of a charge of 10·2^k at time t is 10·2^k - t: less than 10, the
  // estimate, only in the last moment before a doubling, and there are ten such
  // moments. A task that is placed then adds 10 for good.
  CHECK(chosen <= 10);
}

TEST_CASE("with lazy assignment, a task is taken to run from the time at which "
          "the task was assigned") {
  world w{estimating(10), {assignment::lazy}};
  w.join_all(2, 2);
  CHECK(w.submit() == 0); // at 0
  w.pass(9ns);
  CHECK(w.submit() == 1); // at 9
  w.pass(2ns);
  // At 11: 20-11, 10-2.
  CHECK(w.submit() == 1);
}

TEST_CASE("a task is presumed to run as soon as its worker has no other task") {
  auto when = assignment::eager;
  SUBCASE("with eager assignment") {
    when = assignment::eager;
  }
  SUBCASE("with lazy assignment") {
    when = assignment::lazy;
  }
  world w{estimating(10), {when}};
  w.join_all(2, 2);
  w.begins = false;       // the placement is not told that tasks begin
  CHECK(w.submit() == 0); // at 0
  w.pass(9ns);
  CHECK(w.submit() == 1); // at 9
  w.pass(2ns);
  // At 11: 20-11, 10-2.
  CHECK(w.submit() == 1);
}

TEST_CASE(
  "the charge of a task that starts later than presumed is not doubled") {
  world w{estimating(10)};
  w.join_all(2);
  w.begins = false;       // the workers have something else to do
  CHECK(w.submit() == 0); // at 0, presumed to begin
  w.pass(11ns);
  CHECK(w.submit() == 1); // at 11, when 0 seems to have overrun
  w.begins = true;
  w.pass(0ns); // both begin
  // Both have 10 left; 0 was chosen less recently.
  CHECK(w.submit() == 0);
}

TEST_CASE(
  "the estimate of a worker without samples is the mean of the other workers") {
  world w{estimating()};
  w.join_all(3);
  w.sample(0, 10ns);
  w.sample(1, 4ns);
  // 10 4 7: 1. Then 10 8 7: 2, 10 8 14: 1, 10 12 14: 0.
  CHECK(w.submit_all(4) == names{1, 2, 1, 0});
}

TEST_CASE(
  "the samples of a worker that has left do not count for other workers") {
  world w{estimating()};
  w.join_all(3);
  w.sample(0, 100ns);
  w.sample(1, 4ns);
  // 100 4 52, then 100 8 52
  w.retire(0);
  // . 4 4: 1 was chosen, 2 was not
  CHECK(w.submit_all(2) == names{2, 1});
}

TEST_CASE(
  "no estimate is available after the only worker with samples has left") {
  world w{estimating()};
  w.join_all(1);
  w.sample(0, 10ns);
  w.retire(0);
  w.join_all(2);
  CHECK(w.submit_all(3) == names{1, 2, 1});
  w.pass(8ns);
  w.finish(2); // 8 ns; the third one has just not begun: it waits behind 1
  // 16-8 + 8 + 8, 8
  CHECK(w.submit_all(2) == names{2, 2});
}

TEST_CASE("a worker that steals a task is charged the estimate of this worker "
          "for the task, not that of the worker before") {
  world w{estimating(), {assignment::eager, true}};
  w.join(1);
  w.join(1);
  w.sample(0, 10ns);
  w.sample(1, 4ns);
  auto first = w.tasks.size();
  w.submit_only({0});
  w.submit_only({1});
  CHECK(w.submit_home(0) == 0); // charged 10
  w.pass(1ns);
  w.finish(first + 1); // worker 1 is idle, and takes it: est of 1 is 2 now
  CHECK(w.worker_of(first + 2) == 1);
  // Worker 0: 9 + 10; worker 1: 2 + 2.
  CHECK(w.submit() == 1);
  w.cancel(w.last());
  w.pass(2ns);
  w.finish(first + 2);
  // Worker 0 has its charge back: 7 + 10. Nothing but the running one.
  CHECK(libpool::estimating_placement::charge_of(w.tasks[first]) == 10ns);
  CHECK(w.submit() == 1);
}

TEST_CASE(
  "an outlier changes the mean of a worker's samples, but not the median") {
  auto options = estimating();
  SUBCASE("mean") {
    options.statistic = libpool::statistic::mean;
  }
  SUBCASE("median") {
    options.statistic = libpool::statistic::median;
  }
  world w{options};
  w.join_all(2);
  for (auto i = 0; i < 4; ++i) {
    w.sample(0, 2ns);
    w.sample(1, 3ns);
  }
  w.sample(0, 1us);
  // Means: 201.6 and 3. Medians: 2 and 3.
  auto is_mean = options.statistic == libpool::statistic::mean;
  CHECK(w.submit() == (is_mean ? 1 : 0));
}

TEST_CASE("an estimate uses only the most recent samples, up to the number in "
          "the options") {
  auto options = estimating();
  options.history = 2;
  world w{options};
  w.join_all(2);
  w.sample(1, 5ns);
  for (auto cost : {100ns, 4ns, 4ns})
    w.sample(0, cost);
  CHECK(w.submit() == 0); // 4 5; with the first one, 36
}

TEST_CASE("the run time of a task that crashed its worker is not used as a "
          "sample of the service time") {
  world w{estimating()};
  w.join_all(2);
  w.sample(0, 5ns);
  w.sample(1, 4ns);
  w.submit_only({1});
  auto task = w.last();
  w.pass(100ns);
  w.crash(task);
  CHECK(w.submit() == 1);
}

TEST_CASE("estimates can be based on processor times or waiting times instead "
          "of service times") {
  auto options = estimating();
  SUBCASE("cpu_time") {
    options.measure = libpool::measure::cpu_time;
  }
  SUBCASE("wait_time") {
    options.measure = libpool::measure::wait_time;
  }
  world w{options};
  w.join(1);
  w.join(1);
  // Worker 0: a task of 9 ns that uses 1 ns, at once. Worker 1: one of 1 ns
  // that uses 5 ns of several processors.
  w.submit_only({0});
  w.submit_only({1});
  w.tasks[0].cpu_time = 1ns;
  w.tasks[1].cpu_time = 5ns;
  // Behind worker 0's, another one that waits for 9 ns.
  w.submit_only({0});
  w.tasks[2].cpu_time = 1ns;
  w.pass(1ns);
  w.finish(1);
  w.pass(8ns);
  w.finish(0);
  w.finish(2);
  // Processor time: 1 5. Wait: 4.5 0.
  auto is_wait = options.measure == libpool::measure::wait_time;
  CHECK(w.submit() == (is_wait ? 1 : 0));
}

} // namespace fair_share_tests
