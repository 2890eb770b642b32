#include "libpool/policies/least_busy.hpp"
#include "support/estimates_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>

namespace least_busy_tests {

using libpool::assignment;
using libpool::least_busy;
using test::estimating;
using world = test::estimates_world<least_busy>;
using names = world::names;
using namespace std::chrono_literals;

// Expectations are sums of the costs of ended tasks and of the charges of tasks
// in flight, in nanoseconds, for workers 0, 1 and so on.

TEST_CASE("the placement least_busy chooses the worker that has worked for the "
          "least time") {
  world w{estimating()};
  w.join_all(3);
  CHECK(w.serve(5ns) == 0); // 5 0 0
  CHECK(w.serve(2ns) == 1); // 5 2 0
  CHECK(w.serve(4ns) == 2); // 5 2 4
  CHECK(w.serve(1ns) == 1); // 5 3 4
  CHECK(w.serve(7ns) == 1); // 5 10 4
  CHECK(w.serve(1ns) == 2); // 5 10 5
  CHECK(w.serve(1ns) == 0); // 6 10 5: the tie was that of 0, long ago
  CHECK(w.serve(1ns) == 2);
}

TEST_CASE("the working time of a worker includes the estimated cost of its "
          "tasks in flight") {
  world w{estimating(10)};
  w.join_all(2);
  w.sample(0, 4ns);
  w.sample(1, 9ns);
  // 4 9: 8 9: 12 9: 12 18: 16 18: 20 18.
  CHECK(w.submit_all(6) == names{0, 0, 1, 0, 0, 1});
}

TEST_CASE("when a task ends, its actual cost replaces its estimated cost in "
          "the working time of its worker") {
  world w{estimating(10)};
  w.join_all(2);
  w.submit_only({0}); // 10 0
  w.submit_only({1}); // 10 10
  w.pass(3ns);
  w.finish(0);            // 3 10
  CHECK(w.submit() == 0); // 6 10, est(0) = 3
  w.pass(2ns);
  w.finish(1); // 6 5
  CHECK(w.submit() == 1);
}

TEST_CASE(
  "tasks of unknown cost are spread evenly, and charged once a cost is known") {
  world w{estimating()};
  w.join_all(2);
  CHECK(w.submit_all(4) == names{0, 1, 0, 1});
  w.submit_only({1});
  w.pass(6ns);
  w.finish(0); // 6 ns for all: 6+6, and 12+6+6 as the first one has overrun
  CHECK(w.submit_all(2) == names{0, 0}); // 18 24, 24 24: fewer in flight
  CHECK(w.submit() == 1); // three in flight each, chosen less recently
}

TEST_CASE("the estimate that a worker is charged for a running task is doubled "
          "when the task exceeds the estimate") {
  world w{estimating(10)};
  w.join_all(2);
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

TEST_CASE("if a worker runs several tasks, the estimate of each task that "
          "exceeds its estimate is doubled separately") {
  world w{estimating(10)};
  w.join(8, 0ns, 2);
  w.join(8);
  w.submit_only({0}); // at 0
  w.pass(4ns);
  w.submit_only({0}); // at 4
  w.submit_only({1}); // at 4
  w.submit_only({1});
  w.submit_only({1});
  w.pass(5ns);
  CHECK(w.submit() == 0); // 20 30, then 30 30
  w.cancel(w.last());
  w.pass(1ns);
  // At 10: 20+10 30, fewer in flight
  CHECK(w.submit() == 0);
  w.cancel(w.last());
  w.pass(4ns);
  // At 14: 20+20 20+20
  CHECK(w.submit() == 0);
  w.cancel(w.last());
  w.pass(6ns);
  // At 20: 40+20 40
  CHECK(w.submit() == 1);
}

TEST_CASE("with lazy assignment, the estimate of a running task is also "
          "doubled when the task exceeds the estimate") {
  world w{estimating(10), {assignment::lazy}};
  w.join_all(2, 3);
  CHECK(w.submit() == 0); // 10 0, at 0
  CHECK(w.submit() == 1); // 10 10, at 0
  w.pass(5ns);
  w.finish(1);            // 10 5
  CHECK(w.submit() == 1); // 10 10, est(1) = 5
  w.pass(4ns);
  w.finish(2); // 10 9, est(1) = 4
  w.pass(1ns);
  // At 10: 20 9, 13, 17, 21
  CHECK(w.submit_all(3) == names{1, 1, 1});
}

TEST_CASE(
  "a worker that joins starts with the smallest time of the other workers") {
  world w{estimating()};
  w.join_all(2);
  w.sample(0, 100ns);
  w.sample(1, 90ns);
  w.join(); // 100 90 90, est 95: it was never chosen, so it goes first
  CHECK(w.serve(3ns) == 2); // 100 90 93
  CHECK(w.serve(9ns) == 1); // 100 99 93
  CHECK(w.serve(8ns) == 2); // 100 99 101
  CHECK(w.serve(2ns) == 1);
}

TEST_CASE("a worker that joins starts with the smallest working time of the "
          "others, including their doubled estimates") {
  world w{estimating(10)};
  w.join_all(1);
  w.submit_only({0});
  w.pass(10ns);
  w.join();               // 20 20
  w.submit_only({1});     // 20 30
  w.submit_only({0});     // 30 30
  CHECK(w.submit() == 1); // fewer in flight: one
  CHECK(w.submit() == 0); // 30 40
}

TEST_CASE("workers that join an empty pool start with a working time of 0") {
  world w{estimating()};
  w.join();
  w.sample(0, 50ns);
  w.retire(0);
  w.join();
  w.join(); // 0 0
  CHECK(w.serve(1ns) == 1);
  CHECK(w.serve(1ns) == 2);
}

TEST_CASE(
  "the working time of a worker includes the cost of tasks that crashed") {
  world w{estimating()};
  w.join_all(2);
  w.submit();
  w.pass(10ns);
  w.crash(0); // 10 0
  CHECK(w.serve(4ns) == 1);
  CHECK(w.serve(4ns) == 1);
}

TEST_CASE(
  "a task that moves to another worker costs its first worker nothing") {
  world w{estimating(10), {assignment::eager, true}};
  w.join_all(2, 1);
  w.submit_only({0});
  w.submit_only({1});
  w.submit_home(0); // 20 10
  w.finish(1);      // 20 0, and worker 1 takes the one that waits: 10 0
  CHECK(w.worker_of(2) == 1);
  CHECK(w.submit_all(2) == names{1, 1});
}

} // namespace least_busy_tests
