#include "libpool/policies/interleaved_weighted_round_robin.hpp"
#include "support/estimates_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>

namespace interleaved_weighted_round_robin_tests {

using libpool::assignment;
using libpool::interleaved_weighted_round_robin;
using test::estimating;
using world = test::estimates_world<interleaved_weighted_round_robin>;
using names = world::names;
using namespace std::chrono_literals;

// Comments show how much each worker has used in this cycle, in nanoseconds.

TEST_CASE("with weights of 1, 2 and 3, workers 0, 1 and 2 get tasks of cost 1 "
          "in the order 0 1 2 1 2 2") {
  world w{estimating(1)};
  w.join_weighing({1, 2, 3});
  CHECK(w.submit_all(12) == names{0, 1, 2, 1, 2, 2, 0, 1, 2, 1, 2, 2});
}

TEST_CASE("the round of a weight lasts for the difference between this weight "
          "and the next smaller weight") {
  // Rounds of 2 and 5: 0 0 1 1, then 1 1 1.
  world w{estimating(1)};
  w.join_weighing({2, 5});
  CHECK(w.submit_all(7) == names{0, 0, 1, 1, 1, 1, 1});
  CHECK(w.submit_all(4) == names{0, 0, 1, 1});
}

TEST_CASE("for a task of unknown cost, a worker is charged its whole weight") {
  // Charges of 1, 2 and 3: each is beyond the rounds that follow.
  world w{estimating()};
  w.join_weighing({1, 2, 3});
  CHECK(w.submit_all(6) == names{0, 1, 2, 0, 1, 2});
}

TEST_CASE("a worker that has used more than its weight in a cycle is passed "
          "over in later cycles until the excess is paid") {
  world w{estimating(2)};
  w.join_weighing({2, 2});
  CHECK(w.serve(12ns) == 0); // 12 0
  CHECK(w.serve(2ns) == 1);  // 12 2
  // In the next cycles 0 has used 10, 8, 6, 4, 2, and 1 nothing; then 0 0.
  CHECK(w.serve_all(5, 2ns) == names{1, 1, 1, 1, 1});
  CHECK(w.serve(2ns) == 0);
}

TEST_CASE("a worker gets tasks again after it has exceeded its time budget by "
          "any amount") {
  world w{estimating(1)};
  w.join_weighing({1, 2, 3});
  CHECK(w.submit_all(3) == names{0, 1, 2});
  w.pass(1h);
  for (auto i = 0U; i < 3; ++i)
    w.finish(i);
  // An hour each: worker 2 pays off most per cycle.
  CHECK(w.submit() == 2);
}

TEST_CASE(
  "a worker gets the overestimated cost of a task back in the same round") {
  world w{estimating(4)};
  w.join_weighing({4, 4});
  CHECK(w.serve(1ns) == 0); // 4, then 1
  CHECK(w.serve(1ns) == 0); // 2
  CHECK(w.serve(2ns) == 0); // 4
  CHECK(w.serve(4ns) == 1);
}

TEST_CASE(
  "a refund after the end of its round is carried over, up to one weight") {
  world w{estimating(10)};
  w.join_weighing({10, 10});
  CHECK(w.submit_all(2) == names{0, 1}); // 10 10
  w.submit_only({0});                    // 0: next cycle, from 0: 10, 0
  w.submit_only({0});                    // and again: 10, -10
  CHECK(w.submit() == 1);                // 10 0
  CHECK(w.submit() == 1);                // 10 10
  CHECK(w.submit() == 0);                // 10 0
}

TEST_CASE("if the only worker with the weight of the current round leaves, the "
          "round of the next larger weight begins") {
  world w{estimating(1)};
  w.join_weighing({4, 2, 3});
  // Round 2: 0 0 1 1 2 2. Round 3: 0
  CHECK(w.serve_all(7, 1ns) == names{0, 0, 1, 1, 2, 2, 0});
  w.retire(2);
  // Round 4: the cursor is at 0, which has used 3. Then a cycle of rounds 2 and
  // 4.
  CHECK(w.serve(1ns) == 0);
  CHECK(w.serve_all(6, 1ns) == names{0, 0, 1, 1, 0, 0});
}

TEST_CASE("if the worker with the largest weight leaves in the last round, the "
          "next cycle of rounds begins") {
  world w{estimating(1)};
  w.join_weighing({2, 1, 1});
  CHECK(w.submit_all(4) == names{0, 1, 2, 0});
  for (auto task : {0U, 2U, 3U})
    w.finish(task); // they have cost nothing: 0 1 0
  w.retire(0);
  // A new cycle: . 0 -1, and round 1 from the first worker on.
  CHECK(w.submit() == 1);
  CHECK(w.submit_all(2) == names{2, 2});
}

TEST_CASE("a worker that joins gets tasks from the current round on") {
  world w{estimating(1)};
  w.join_weighing({1, 3});
  CHECK(w.submit_all(3) == names{0, 1, 1}); // round 3
  w.join_weighing({3});
  CHECK(w.submit_all(4) == names{1, 2, 2, 2});
  CHECK(w.submit_all(3) == names{0, 1, 2}); // round 1 of the next cycle
}

TEST_CASE(
  "a worker that leaves does not change the turns of the other workers") {
  world w{estimating(1)};
  w.join_weighing({1, 2, 3});
  CHECK(w.serve_all(3, 1ns) == names{0, 1, 2});
  w.retire(1); // round 2 is no more: round 3
  CHECK(w.serve_all(6, 1ns) == names{2, 2, 0, 2, 2, 2});
}

TEST_CASE(
  "with lazy assignment, a worker that has no room for a task is passed over") {
  world w{estimating(1), {assignment::lazy}};
  w.join_weighing({3, 3}, 1);
  CHECK(w.submit_all(2) == names{0, 1}); // 1 1
  w.pass(1ns);
  w.finish(0);
  // The cursor is at 1, which has no room; the round is over, a cycle too: -2
  // -2. Worker 0 comes first in it.
  CHECK(w.submit() == 0);
}

TEST_CASE(
  "if no weights are given, a round lasts for the mean estimate of a task") {
  world w{estimating(5)};
  w.join_all(3);
  CHECK(w.submit_all(7) == names{0, 1, 2, 0, 1, 2, 0});
}

TEST_CASE(
  "a worker is not charged for a task that is cancelled before it runs") {
  world w{estimating(2)};
  w.join_weighing({4, 4}, 1);
  CHECK(w.submit_all(2) == names{0, 0});
  w.cancel(1);
  CHECK(w.submit() == 0);
  CHECK(w.submit() == 1);
}

} // namespace interleaved_weighted_round_robin_tests
