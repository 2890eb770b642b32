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

using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

template <class Placement>
struct estimates_world : test::policy_world {
  explicit estimates_world(std::size_t size = 2, bool steals = false)
    : policy_world(std::make_unique<Placement>(test::estimating()),
                   libpool::assignment::eager, steals) {
    join_all(size, steals ? 1 : 8);
  }
};

using world = estimates_world<libpool::fair_share>;
using busy_world = estimates_world<libpool::least_busy>;

} // namespace

// Expectations are sums of the rests of the tasks in flight and of the
// estimate, in nanoseconds, for workers 0, 1 and so on.

TEST_CASE("the placement fair_share chooses the worker that is expected to end "
          "the task first, and among several the tie rule decides") {
  world w;
  w.sample(0, 10ns);
  w.sample(1, 4ns);
  // 10 4, then 10 8, then 10 12, then 20 12, 20 16, 20 20 (fewer in flight).
  CHECK(w.submit_all(6) == names{1, 1, 0, 1, 1, 0});
}

TEST_CASE("tasks that were assigned without an estimate are charged to their "
          "workers once an estimate is available") {
  world w;
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

TEST_CASE("a worker that steals a task is charged the estimate of this worker "
          "for the task, not that of the worker before") {
  world w{2, true};
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

// -- least_busy
// -----------------------------------------------------------------

// Expectations are sums of the costs of ended tasks and of the charges of tasks
// in flight, in nanoseconds, for workers 0, 1 and so on.

TEST_CASE("the placement least_busy chooses the worker that has worked for the "
          "least time, crashed tasks included") {
  busy_world w{3};
  CHECK(w.serve(5ns) == 0); // 5 0 0
  w.sample(1, 2ns, true);   // 5 2 0
  CHECK(w.serve(4ns) == 2); // 5 2 4
  CHECK(w.serve(1ns) == 1); // 5 3 4
  CHECK(w.serve(7ns) == 1); // 5 10 4
  CHECK(w.serve(1ns) == 2); // 5 10 5
  CHECK(w.serve(1ns) == 0); // 6 10 5: the tie was that of 0, long ago
  CHECK(w.serve(1ns) == 2);
}

} // namespace estimating_placements_tests
