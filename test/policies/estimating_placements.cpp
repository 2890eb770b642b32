/// The placements that go by estimates: fair_share and least_busy.

#include "libpool/policies/placement/estimating_placement.hpp"
#include "libpool/policies/placement/fair_share.hpp"
#include "libpool/policies/placement/least_busy.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>

namespace estimating_placements_tests {

using libpool::assignment;
using libpool::estimate_options;
using test::estimating;
using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

template <class Placement>
struct estimates_world : test::policy_world {
  explicit estimates_world(const estimate_options& options,
                           std::size_t size = 2,
                           assignment when = assignment::eager,
                           bool steals = false)
    : policy_world(std::make_unique<Placement>(options), when, steals) {
    join_all(size, steals ? 1 : when == assignment::lazy ? 3 : 8);
  }
};

using world = estimates_world<libpool::fair_share>;
using busy_world = estimates_world<libpool::least_busy>;

} // namespace

// Expectations are sums of the rests of the tasks in flight and of the
// estimate, in nanoseconds, for workers 0, 1 and so on.

TEST_CASE("the placement fair_share chooses the worker that is expected to end "
          "the task first, and among several the tie rule decides") {
  world w{estimating()};
  w.sample(0, 10ns);
  w.sample(1, 4ns);
  // 10 4, then 10 8, then 10 12, then 20 12, 20 16, 20 20 (fewer in flight).
  CHECK(w.submit_all(6) == names{1, 1, 0, 1, 1, 0});
}

TEST_CASE("tasks that were assigned without an estimate are charged to their "
          "workers once an estimate is available") {
  world w{estimating()};
  w.submit_only({0}); // both run from 0 on
  w.submit_only({1});
  w.submit_only({1}); // waits behind the other one
  w.pass(6ns);
  w.finish(0); // 6 ns are the estimate of both, and the cost of the others
  // 0+6; of worker 1, the running one has overrun: 12-6, and 6, and 6. Then
  // 6+6, 6+6+6, and 12+6, 18: fewer in flight, and chosen less recently, 2
  // and 2.
  CHECK(w.submit_all(3) == names{0, 0, 1});
}

TEST_CASE("the load of a worker decreases while its task runs, and the "
          "estimate is doubled each time that the task exceeds it") {
  struct moment {
    libpool::duration after;
    names chosen;
  };
  // Worker 0 has a task since 0, worker 1 since 5. At 9: 1, 6. At 10: 20-10, 5.
  // At 20: 40-20, 20-15; then 20, 15; then 20, 25.
  for (const auto& at :
       {moment{4ns, {0}}, moment{5ns, {1}}, moment{15ns, {1, 1, 0}}}) {
    CAPTURE(at.after.count());
    world w{estimating(10)};
    w.submit_only({0});
    w.pass(5ns);
    w.submit_only({1});
    w.pass(at.after);
    CHECK(w.submit_all(at.chosen.size()) == at.chosen);
  }
}

TEST_CASE("a worker whose running task does not end gets new tasks more and "
          "more rarely") {
  world w{estimating(10)};
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

TEST_CASE("the estimate of a worker without samples is the mean of the other "
          "workers that have not left") {
  world w{estimating(), 3};
  w.sample(0, 10ns);
  w.sample(1, 4ns);
  SUBCASE("all workers are there") {
    // 10 4 7: 1. Then 10 8 7: 2, 10 8 14: 1, 10 12 14: 0.
    CHECK(w.submit_all(4) == names{1, 2, 1, 0});
  }
  SUBCASE("the worker with the larger estimate has left") {
    w.retire(0);
    // . 4 4: 1 was chosen, 2 was not
    CHECK(w.submit_all(2) == names{2, 1});
  }
  SUBCASE("all workers with samples have left") {
    w.retire(0);
    w.retire(1);
    w.join_all(1);
    CHECK(w.submit_all(3) == names{2, 3, 2});
  }
}

TEST_CASE("a worker that steals a task is charged the estimate of this worker "
          "for the task, not that of the worker before") {
  world w{estimating(), 2, assignment::eager, true};
  w.sample(0, 10ns);
  w.sample(1, 4ns);
  w.submit_only({0});
  auto first = w.last();
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

TEST_CASE("the run time of a task that crashed its worker is not used as a "
          "sample of the service time") {
  world w{estimating()};
  w.sample(0, 5ns);
  w.sample(1, 4ns);
  w.sample(1, 100ns, true);
  CHECK(w.submit() == 1);
}

TEST_CASE("estimates can be based on processor times or waiting times instead "
          "of service times") {
  // Worker 0: a task of 9 ns that uses 1 ns, at once, and behind it another one
  // that waits for 9 ns. Worker 1: one of 1 ns that uses 5 ns of several
  // processors. Processor time: 1 5. Wait: 4.5 0.
  for (auto measure :
       {libpool::measure::cpu_time, libpool::measure::wait_time}) {
    auto options = estimating();
    options.measure = measure;
    world w{options, 0};
    w.join_all(2, 1);
    for (std::size_t worker : {0U, 1U, 0U}) {
      w.submit_only({worker});
      w.tasks.back().own_attempt().cpu_time = worker == 0 ? 1ns : 5ns;
    }
    w.pass(1ns);
    w.finish(1);
    w.pass(8ns);
    w.finish(0);
    w.finish(2);
    CHECK(w.submit() == (measure == libpool::measure::wait_time ? 1 : 0));
  }
}

// -- least_busy
// -----------------------------------------------------------------

// Expectations are sums of the costs of ended tasks and of the charges of tasks
// in flight, in nanoseconds, for workers 0, 1 and so on.

TEST_CASE("the placement least_busy chooses the worker that has worked for the "
          "least time, crashed tasks included") {
  busy_world w{estimating(), 3};
  CHECK(w.serve(5ns) == 0); // 5 0 0
  w.sample(1, 2ns, true);   // 5 2 0
  CHECK(w.serve(4ns) == 2); // 5 2 4
  CHECK(w.serve(1ns) == 1); // 5 3 4
  CHECK(w.serve(7ns) == 1); // 5 10 4
  CHECK(w.serve(1ns) == 2); // 5 10 5
  CHECK(w.serve(1ns) == 0); // 6 10 5: the tie was that of 0, long ago
  CHECK(w.serve(1ns) == 2);
}

TEST_CASE("the working time of a worker includes the estimated cost of its "
          "tasks in flight, until the actual cost is known") {
  busy_world w{estimating(10)};
  w.submit_only({0}); // 10 0
  w.submit_only({1}); // 10 10
  w.pass(3ns);
  w.finish(0);            // 3 10
  CHECK(w.submit() == 0); // 6 10, est(0) = 3
  w.pass(2ns);
  w.finish(1); // 6 5
  CHECK(w.submit() == 1);
}

TEST_CASE("the estimate that a worker is charged for a running task is doubled "
          "each time that the task exceeds the estimate") {
  for (auto when : {assignment::eager, assignment::lazy}) {
    busy_world w{estimating(10), 2, when};
    w.submit_only({0});
    w.submit_only({1});
    w.submit_only({1}); // 10 20
    w.pass(9ns);
    CHECK(w.submit() == 0); // 20 20
    w.cancel(w.last());     // 10 20
    w.pass(1ns);
    // 20 30
    CHECK(w.submit() == 0); // 30 30
    w.pass(10ns);
    // 40+10 40+10: two in flight each, and 1 was chosen less recently
    CHECK(w.submit() == 1);
  }
}

} // namespace estimating_placements_tests
