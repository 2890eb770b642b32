#include "libpool/policies/least_busy.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

namespace least_busy_tests {

using libpool::assignment;
using test::estimating;
using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

struct world : test::policy_world {
  explicit world(std::size_t size, std::optional<int> initial = std::nullopt,
                 assignment when = assignment::eager)
    : policy_world(std::make_unique<libpool::least_busy>(estimating(initial)),
                   when) {
    join_all(size);
  }
};

} // namespace

// Expectations are sums of the costs of ended tasks and of the charges of tasks
// in flight, in nanoseconds, for workers 0, 1 and so on.

TEST_CASE("the placement least_busy chooses the worker that has worked for the "
          "least time, crashed tasks included") {
  world w{3};
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
  world w{2, 10};
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
  world w{2};
  CHECK(w.submit_all(4) == names{0, 1, 0, 1});
  w.submit_only({1});
  w.pass(6ns);
  w.finish(0); // 6 ns for all: 6+6, and 12+6+6 as the first one has overrun
  // 18 24, 24 24: fewer in flight; then three each, chosen less recently
  CHECK(w.submit_all(3) == names{0, 0, 1});
}

TEST_CASE("the estimate that a worker is charged for a running task is doubled "
          "each time that the task exceeds the estimate") {
  for (auto when : {assignment::eager, assignment::lazy}) {
    world w{2, 10, when};
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

TEST_CASE("a worker that joins starts with the smallest working time of the "
          "others, including their doubled estimates") {
  world w{1, 10};
  w.submit_only({0});
  w.pass(10ns);
  w.join();               // 20 20
  w.submit_only({1});     // 20 30
  w.submit_only({0});     // 30 30
  CHECK(w.submit() == 1); // fewer in flight: one
  CHECK(w.submit() == 0); // 30 40
}

TEST_CASE("workers that join an empty pool start with a working time of 0") {
  world w{1};
  w.sample(0, 50ns);
  w.retire(0);
  w.join_all(2); // 0 0
  CHECK(w.serve_all(2, 1ns) == names{1, 2});
}

} // namespace least_busy_tests
