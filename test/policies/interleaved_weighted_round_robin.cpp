#include "libpool/policies/interleaved_weighted_round_robin.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace interleaved_weighted_round_robin_tests {

using libpool::assignment;
using test::estimating;
using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

struct world : test::policy_world {
  explicit world(std::optional<int> initial, const std::vector<int>& weights,
                 std::size_t window = 8, assignment when = assignment::eager)
    : policy_world(std::make_unique<libpool::interleaved_weighted_round_robin>(
                     estimating(initial)),
                   when) {
    join_weighing(weights, window);
  }
};

} // namespace

// Comments show how much each worker has used in this cycle, in nanoseconds.

TEST_CASE("in the round of a weight, the workers with at least this weight get "
          "tasks until each has used this time") {
  struct row {
    std::optional<int> initial;
    std::vector<int> weights;
    names chosen;
  };
  const std::vector<row> rows{
    {1, {1, 2, 3}, {0, 1, 2, 1, 2, 2, 0, 1, 2, 1, 2, 2}},
    // Rounds of 2 and 5: 0 0 1 1, then 1 1 1.
    {1, {2, 5}, {0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1}},
    // Of unknown cost: charges of 1, 2 and 3, beyond the rounds that follow.
    {std::nullopt, {1, 2, 3}, {0, 1, 2, 0, 1, 2}},
    // No weights: a round lasts for the mean estimate of a task.
    {5, {0, 0, 0}, {0, 1, 2, 0, 1, 2, 0}}};
  for (const auto& each : rows) {
    world w{each.initial, each.weights};
    CHECK(w.submit_all(each.chosen.size()) == each.chosen);
  }
}

TEST_CASE("a worker that has used more than its weight in a cycle is passed "
          "over in later cycles until the excess is paid") {
  world w{2, {2, 2}};
  CHECK(w.serve(12ns) == 0); // 12 0
  CHECK(w.serve(2ns) == 1);  // 12 2
  // In the next cycles 0 has used 10, 8, 6, 4, 2, and 1 nothing; then 0 0.
  CHECK(w.serve_all(6, 2ns) == names{1, 1, 1, 1, 1, 0});
}

TEST_CASE("a worker gets tasks again after it has exceeded its time budget by "
          "any amount") {
  world w{1, {1, 2, 3}};
  CHECK(w.submit_all(3) == names{0, 1, 2});
  w.pass(1h);
  for (auto i = 0U; i < 3; ++i)
    w.finish(i);
  // An hour each: worker 2 pays off most per cycle.
  CHECK(w.submit() == 2);
}

TEST_CASE("a worker gets the overestimated cost of a task back in the same "
          "round, and after the round up to one weight") {
  world w{4, {4, 4}};
  // 4, then 1; 2; 4
  CHECK(w.serve_all(2, 1ns) == names{0, 0});
  CHECK(w.serve(2ns) == 0);
  CHECK(w.serve(4ns) == 1);
  world v{10, {10, 10}};
  CHECK(v.submit_all(2) == names{0, 1}); // 10 10
  v.submit_only({0});                    // 0: next cycle, from 0: 10, 0
  v.submit_only({0});                    // and again: 10, -10
  // 10 0; 10 10; 10 0
  CHECK(v.submit_all(3) == names{1, 1, 0});
  world u{2, {4, 4}, 1};
  CHECK(u.submit_all(2) == names{0, 0});
  u.cancel(1); // before it runs
  CHECK(u.submit_all(2) == names{0, 1});
}

TEST_CASE("if the only worker with the weight of the current round leaves, the "
          "round of the next larger weight begins, or the next cycle") {
  world w{1, {4, 2, 3}};
  // Round 2: 0 0 1 1 2 2. Round 3: 0
  CHECK(w.serve_all(7, 1ns) == names{0, 0, 1, 1, 2, 2, 0});
  w.retire(2);
  // Round 4: the cursor is at 0, which has used 3. Then a cycle of rounds 2 and
  // 4.
  CHECK(w.serve_all(7, 1ns) == names{0, 0, 0, 1, 1, 0, 0});
  world v{1, {2, 1, 1}};
  CHECK(v.submit_all(4) == names{0, 1, 2, 0});
  for (auto task : {0U, 2U, 3U})
    v.finish(task); // they have cost nothing: 0 1 0
  v.retire(0);
  // A new cycle: . 0 -1, and round 1 from the first worker on.
  CHECK(v.submit_all(3) == names{1, 2, 2});
}

TEST_CASE("a worker that joins gets tasks from the current round on") {
  world w{1, {1, 3}};
  CHECK(w.submit_all(3) == names{0, 1, 1}); // round 3
  w.join_weighing({3});
  // Then round 1 of the next cycle.
  CHECK(w.submit_all(7) == names{1, 2, 2, 2, 0, 1, 2});
}

TEST_CASE(
  "with lazy assignment, a worker that has no room for a task is passed over") {
  world w{1, {3, 3}, 1, assignment::lazy};
  CHECK(w.submit_all(2) == names{0, 1}); // 1 1
  w.pass(1ns);
  w.finish(0);
  // The cursor is at 1, which has no room; the round is over, a cycle too: -2
  // -2. Worker 0 comes first in it.
  CHECK(w.submit() == 0);
}

} // namespace interleaved_weighted_round_robin_tests
