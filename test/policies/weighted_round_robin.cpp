#include "libpool/policies/weighted_round_robin.hpp"
#include "support/estimates_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>

namespace weighted_round_robin_tests {

using libpool::assignment;
using libpool::weighted_round_robin;
using test::estimating;
using world = test::estimates_world<weighted_round_robin>;
using names = world::names;
using namespace std::chrono_literals;

// Comments show the rest of each worker's budget, in nanoseconds.

TEST_CASE("with weights of 1, 2 and 3, workers 0, 1 and 2 get tasks of cost 1 "
          "in the order 0 1 1 2 2 2") {
  world w{estimating(1)};
  w.join_weighing({1, 2, 3});
  CHECK(w.submit_all(12) == names{0, 1, 1, 2, 2, 2, 0, 1, 1, 2, 2, 2});
}

TEST_CASE("each worker in turn gets one task while no cost is known") {
  world w{estimating()};
  w.join_weighing({1, 2, 3});
  CHECK(w.submit_all(6) == names{0, 1, 2, 0, 1, 2});
}

TEST_CASE("a worker gets tasks until the time budget of its turn is used up") {
  // 7: 4, 1, -2. The next visit adds 7: 5, 2, -1.
  world w{estimating(3)};
  w.join_weighing({7, 3});
  CHECK(w.submit_all(8) == names{0, 0, 0, 1, 0, 0, 1, 0});
}

TEST_CASE(
  "the charge for a task is corrected by the actual cost when the task ends") {
  world w{estimating(4)};
  w.join_weighing({4, 4});
  SUBCASE("for a task that costs more") {
    CHECK(w.serve(11ns) == 0); // 0, then -7
    // est(0) = 11, est(1) = 11 as long as it has none of its own.
    CHECK(w.serve(4ns) == 1); // 4-11+11-4 = 0
    // Worker 0: -3, passed over; 1: 4-4; 0: 1.
    CHECK(w.submit() == 1);
    CHECK(w.submit() == 0);
  }
  SUBCASE("for a task that costs less") {
    CHECK(w.serve(1ns) == 0); // 0, then 3: the cursor has stayed
    CHECK(w.serve(1ns) == 0); // 2
    CHECK(w.serve(1ns) == 0); // 1
    CHECK(w.serve(1ns) == 0); // 0
    CHECK(w.serve(4ns) == 1);
  }
}

TEST_CASE("the turn of a worker can end only when the next task is assigned") {
  // The budget of 0 is used up by its charge, but given back before the next
  // choice.
  world w{estimating(5)};
  w.join_weighing({5, 5});
  CHECK(w.submit() == 0); // 0
  w.pass(2ns);
  w.finish(0);            // 3
  CHECK(w.submit() == 0); // 1, est(0) = 2
}

TEST_CASE("a worker is chosen even if all workers have exceeded their time "
          "budgets by far") {
  world w{estimating(1)};
  w.join_weighing({1, 1, 1});
  w.submit_all(3); // 0 0 0
  w.pass(1h);
  w.finish(0);
  w.pass(1h);
  w.finish(1);
  w.finish(2);
  // Debts of 1 h, 2 h and 2 h, less a nanosecond, are paid by laps of a
  // nanosecond.
  CHECK(w.submit() == 0);
  CHECK(w.submit() == 0); // deep in debt again, by 1 h: all now are alike
}

TEST_CASE("the time by which a worker has exceeded its budget decreases by the "
          "weight of the worker in each lap") {
  world w{estimating(1)};
  w.join_weighing({1, 1});
  CHECK(w.serve(6ns) == 0); // 1-6 = -5
  w.sample(1, 1ns);         // est(1) = 1; by a restriction: 1-1 = 0
  // Each lap gives 1 to both: 0 is at -4, -3, -2, -1, 0, and then 1.
  for (auto i = 0; i < 5; ++i)
    CHECK(w.serve(1ns) == 1);
  CHECK(w.serve(1ns) == 0);
}

TEST_CASE("with lazy assignment, a worker that has no room is passed over, and "
          "keeps its unused time budget") {
  world w{estimating(1), {assignment::lazy}};
  w.join_weighing({3, 3}, 1);
  CHECK(w.submit() == 0); // 2
  CHECK(w.submit() == 1); // 2, as there was no room
  w.pass(1ns);
  w.finish(0);
  // The cursor is at 1, which has no room: on to 0, which gets 3: 5, 4.
  CHECK(w.submit() == 0);
  auto third = w.last();
  w.finish(1);            // within 1 ns of a charge of 1 ns
  CHECK(w.submit() == 1); // 2+3, less 1
  w.pass(1ns);
  w.finish(third);
  w.finish(w.last());
  // The cursor stays at 1 for 4 tasks.
  for (auto i = 0; i < 4; ++i)
    CHECK(w.serve(1ns) == 1);
  CHECK(w.serve(1ns) == 0);
}

TEST_CASE(
  "when a worker leaves, the other workers keep their unused time budgets") {
  world w{estimating(1)};
  w.join_weighing({2, 3, 2});
  CHECK(w.serve_all(3, 1ns) == names{0, 0, 1}); // 0 2 .
  SUBCASE("while the worker has the cursor") {
    w.retire(1);
    CHECK(w.submit_all(4) == names{2, 2, 0, 0});
  }
  SUBCASE("after the turn of the worker") {
    w.retire(0);
    CHECK(w.submit_all(6) == names{1, 1, 2, 2, 1, 1});
  }
  SUBCASE("before the turn of the worker") {
    w.retire(2);
    CHECK(w.submit_all(5) == names{1, 1, 0, 0, 1});
  }
}

TEST_CASE("a worker that joins has its turn after all other workers") {
  world w{estimating(1)};
  w.join_weighing({2, 2});
  CHECK(w.submit() == 0);
  w.join_weighing({3});
  CHECK(w.submit_all(7) == names{0, 1, 1, 2, 2, 2, 0});
}

TEST_CASE("if no weights are given, the turn of a worker lasts for the mean "
          "estimate of a task") {
  world w{estimating(5)};
  w.join_all(3);
  CHECK(w.submit_all(4) == names{0, 1, 2, 0});
  SUBCASE("of all workers, if their estimates differ") {
    world v{estimating()};
    v.join_all(2);
    CHECK(v.serve(2ns) == 0); // charged 1 ns, as nothing was known: -1
    CHECK(v.serve(4ns) == 1); // visit 2, charge 2, cost 4: -2
    // A visit is 3 ns. 0: 2-2 = 0. 1: 1-4 = -3. 0: 3-2 = 1, and stays: -1.
    CHECK(v.submit_all(5) == names{0, 1, 0, 0, 0});
  }
}

TEST_CASE("restricted tasks are charged to the time budget of their worker "
          "like other tasks") {
  world w{estimating(1)};
  w.join_weighing({2, 2, 2});
  CHECK(w.submit_only({1}) == 1); // . 1 .
  CHECK(w.submit() == 1);         // . 0 .
  CHECK(w.submit_only({0, 1}) == 0);
  CHECK(w.submit_all(3) == names{0, 1, 1});
}

TEST_CASE(
  "a worker is not charged for a task that is cancelled before it runs") {
  world w{estimating(2)};
  w.join_weighing({4, 4}, 1);
  CHECK(w.submit_all(2) == names{0, 0}); // 2, 0
  w.cancel(1);                           // 2
  CHECK(w.submit() == 0);
  CHECK(w.submit() == 1);
}

TEST_CASE(
  "the time that a worker is charged for a task is at least a nanosecond") {
  world w{estimating()};
  w.join_weighing({3, 3});
  w.sample(0, 0ns); // est 0, charged 3 and given back: 3
  CHECK(w.submit_all(4) == names{0, 0, 0, 1});
}

} // namespace weighted_round_robin_tests
