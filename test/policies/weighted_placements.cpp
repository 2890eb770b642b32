/// The placements that go by weights, of the two kinds of weighted round robin.

#include "libpool/policies/placement/interleaved_weighted_round_robin.hpp"
#include "libpool/policies/placement/weighted_round_robin.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace weighted_placements_tests {

using libpool::assignment;
using test::estimating;
using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

template <class Placement>
struct weights_world : test::policy_world {
  explicit weights_world(std::optional<int> initial,
                         const std::vector<int>& weights,
                         std::size_t window = 8,
                         assignment when = assignment::eager)
    : policy_world(std::make_unique<Placement>(estimating(initial)), when) {
    join_weighing(weights, window);
  }
};

using world = weights_world<libpool::weighted_round_robin>;
using rounds_world = weights_world<libpool::interleaved_weighted_round_robin>;

struct turns {
  std::optional<int> initial;
  std::vector<int> weights;
  names chosen;
};

template <class World>
void check_turns(const std::vector<turns>& rows) {
  for (const auto& each : rows) {
    World w{each.initial, each.weights};
    CHECK(w.submit_all(each.chosen.size()) == each.chosen);
  }
}

} // namespace

// Comments show the rest of each worker's budget, in nanoseconds.

TEST_CASE("workers have their turns in order, and each gets tasks until the "
          "time budget of its turn is used up") {
  check_turns<world>(
    {{1, {1, 2, 3}, {0, 1, 1, 2, 2, 2, 0, 1, 1, 2, 2, 2}},
     // No cost is known: each task costs the smallest weight.
     {std::nullopt, {1, 2, 3}, {0, 1, 1, 2, 2, 2, 0}},
     {std::nullopt, {20, 10, 30}, {0, 0, 1, 2, 2, 2, 0}},
     {std::nullopt, {9, 9, 9}, {0, 1, 2, 0, 1, 2}},
     // 7: 4, 1, -2. The next visit adds 7: 5, 2, -1.
     {3, {7, 3}, {0, 0, 0, 1, 0, 0, 1, 0}},
     // No weights: a turn lasts for the mean estimate of a task.
     {5, {0, 0, 0}, {0, 1, 2, 0}}});
}

TEST_CASE("if no weights are given, the turn of a worker lasts for the mean "
          "estimate of all workers") {
  world w{std::nullopt, {0, 0}};
  CHECK(w.serve(2ns) == 0); // charged 1 ns, as nothing was known: -1
  CHECK(w.serve(4ns) == 1); // visit 2, charge 2, cost 4: -2
  // A visit is 3 ns. 0: 2-2 = 0. 1: 1-4 = -3. 0: 3-2 = 1, and stays: -1.
  CHECK(w.submit_all(5) == names{0, 1, 0, 0, 0});
}

TEST_CASE("when a task ends, its actual cost replaces the charge for the task, "
          "and the turn of its worker goes on if there is time again") {
  world w{4, {4, 4}};
  SUBCASE("for a task that costs more") {
    CHECK(w.serve(11ns) == 0); // 0, then -7
    // est(0) = 11, est(1) = 11 as long as it has none of its own.
    CHECK(w.serve(4ns) == 1); // 4-11+11-4 = 0
    // Worker 0: -3, passed over; 1: 4-4; 0: 1.
    CHECK(w.submit_all(2) == names{1, 0});
  }
  SUBCASE("for a task that costs less") {
    // 0, then 3: the cursor has stayed; 2; 1; 0
    CHECK(w.serve_all(5, 1ns) == names{0, 0, 0, 0, 1});
  }
  SUBCASE("for a task that is cancelled before it runs") {
    world v{2, {4, 4}, 1};
    CHECK(v.submit_all(2) == names{0, 0}); // 2, 0
    v.cancel(1);                           // 2
    CHECK(v.submit_all(2) == names{0, 1});
  }
}

TEST_CASE("a worker is chosen even if all workers have exceeded their time "
          "budgets by far") {
  world w{1, {1, 1, 1}};
  w.submit_all(3); // 0 0 0
  w.pass(1h);
  w.finish(0);
  w.pass(1h);
  w.finish(1);
  w.finish(2);
  // Debts of 1 h, 2 h and 2 h, less a nanosecond, are paid by laps of a
  // nanosecond; then 0 is deep in debt again, by 1 h: all now are alike.
  CHECK(w.submit_all(2) == names{0, 0});
}

TEST_CASE("with lazy assignment, a worker that has no room is passed over, and "
          "keeps its unused time budget") {
  world w{1, {3, 3}, 1, assignment::lazy};
  CHECK(w.submit_all(2) == names{0, 1}); // 2 2, as there was no room
  w.pass(1ns);
  w.finish(0);
  // The cursor is at 1, which has no room: on to 0, which gets 3: 5, 4.
  CHECK(w.submit() == 0);
  w.finish(1);            // within 1 ns of a charge of 1 ns
  CHECK(w.submit() == 1); // 2+3, less 1
  w.pass(1ns);
  w.finish(2);
  w.finish(3);
  // The cursor stays at 1 for 4 tasks.
  CHECK(w.serve_all(5, 1ns) == names{1, 1, 1, 1, 0});
}

TEST_CASE("when workers leave or join, the other workers keep their turns and "
          "their unused time budgets") {
  world w{1, {2, 3, 2}};
  CHECK(w.serve_all(3, 1ns) == names{0, 0, 1}); // 0 2 .
  SUBCASE("the worker with the cursor leaves") {
    w.retire(1);
    CHECK(w.submit_all(4) == names{2, 2, 0, 0});
  }
  SUBCASE("a worker leaves after its turn") {
    w.retire(0);
    CHECK(w.submit_all(6) == names{1, 1, 2, 2, 1, 1});
  }
  SUBCASE("a worker leaves before its turn") {
    w.retire(2);
    CHECK(w.submit_all(5) == names{1, 1, 0, 0, 1});
  }
  SUBCASE("a worker that joins has its turn after all others") {
    w.join_weighing({3});
    CHECK(w.submit_all(10) == names{1, 1, 2, 2, 0, 0, 3, 3, 3, 1});
  }
  SUBCASE("workers that join have their turns in the order of joining") {
    w.join_weighing({1, 1});
    CHECK(w.submit_all(9) == names{1, 1, 2, 2, 0, 0, 3, 4, 1});
    w.join_weighing({1}); // behind the cursor, which is at 1
    CHECK(w.submit_all(9) == names{1, 1, 2, 2, 0, 0, 3, 4, 5});
  }
  SUBCASE("a worker joins after the worker with the cursor has left") {
    w.retire(1);
    w.join_weighing({1});
    CHECK(w.submit_all(6) == names{2, 2, 0, 0, 3, 2});
  }
  SUBCASE("a worker joins, and a message may go to some workers only") {
    w.join_weighing({3});
    CHECK(w.submit_only({0, 3}) == 0); // 3 is behind 0
    CHECK(w.submit_only({0, 2, 3}) == 0);
    CHECK(w.submit_only({0, 2, 3}) == 3);
  }
}

TEST_CASE("while no cost is known, a task costs the smallest weight of the "
          "workers that serve") {
  world w{std::nullopt, {4, 2, 6}};
  CHECK(w.submit_all(6) == names{0, 0, 1, 2, 2, 2});
  w.retire(1); // it still runs its task
  CHECK(w.submit_all(4) == names{0, 2, 2, 0});
}

TEST_CASE(
  "the time that a worker is charged for a task is at least a nanosecond") {
  world w{std::nullopt, {3, 3}};
  w.sample(0, 0ns); // est 0, charged 3 and given back: 3
  CHECK(w.submit_all(4) == names{0, 0, 0, 1});
}

// -- interleaved_weighted_round_robin
// -------------------------------------------

// Comments show how much each worker has used in this cycle, in nanoseconds.

TEST_CASE("in the round of a weight, the workers with at least this weight get "
          "tasks until each has used this time") {
  check_turns<rounds_world>(
    {{1, {1, 2, 3}, {0, 1, 2, 1, 2, 2, 0, 1, 2, 1, 2, 2}},
     // Rounds of 2 and 5: 0 0 1 1, then 1 1 1.
     {1, {2, 5}, {0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1}},
     // No cost is known: each task costs the smallest weight.
     {std::nullopt, {1, 2, 3}, {0, 1, 2, 1, 2, 2, 0}},
     {std::nullopt, {9, 9, 9}, {0, 1, 2, 0, 1, 2}},
     // No weights: a round lasts for the mean estimate of a task.
     {5, {0, 0, 0}, {0, 1, 2, 0, 1, 2, 0}}});
}

TEST_CASE("a worker that joins during a cycle gets tasks from the next round "
          "on, after all other workers") {
  rounds_world w{1, {2, 2, 2}};
  CHECK(w.serve_all(3, 1ns) == names{0, 0, 1});
  w.join_weighing({2});
  CHECK(w.serve_all(9, 1ns) == names{1, 2, 2, 0, 0, 3, 3, 1, 1});
  rounds_world v{1, {1, 3}};
  CHECK(v.serve_all(2, 1ns) == names{0, 1});
  v.join_weighing({3, 1}); // between 0 and 1; the round of 1 is over for both
  CHECK(v.serve_all(12, 1ns) == names{2, 2, 1, 1, 0, 2, 3, 1, 2, 2, 1, 1});
}

TEST_CASE("a worker that has used more than its weight in a cycle is passed "
          "over in later cycles until the excess is paid") {
  rounds_world w{2, {2, 2}};
  CHECK(w.serve(12ns) == 0); // 12 0
  CHECK(w.serve(2ns) == 1);  // 12 2
  // In the next cycles 0 has used 10, 8, 6, 4, 2, and 1 nothing; then 0 0.
  CHECK(w.serve_all(6, 2ns) == names{1, 1, 1, 1, 1, 0});
}

TEST_CASE("a worker gets tasks again after it has exceeded its time budget by "
          "any amount") {
  rounds_world w{1, {1, 2, 3}};
  CHECK(w.submit_all(3) == names{0, 1, 2});
  w.pass(1h);
  for (auto i = 0U; i < 3; ++i)
    w.finish(i);
  // An hour each: worker 2 pays off most per cycle.
  CHECK(w.submit() == 2);
}

TEST_CASE("a worker gets the overestimated cost of a task back in the same "
          "round, and after the round up to one weight") {
  rounds_world w{4, {4, 4}};
  // 4, then 1; 2; 4
  CHECK(w.serve_all(2, 1ns) == names{0, 0});
  CHECK(w.serve(2ns) == 0);
  CHECK(w.serve(4ns) == 1);
  rounds_world v{10, {10, 10}};
  CHECK(v.submit_all(2) == names{0, 1}); // 10 10
  v.submit_only({0});                    // 0: next cycle, from 0: 10, 0
  v.submit_only({0});                    // and again: 10, -10
  // 10 0; 10 10; 10 0
  CHECK(v.submit_all(3) == names{1, 1, 0});
  rounds_world u{2, {4, 4}, 1};
  CHECK(u.submit_all(2) == names{0, 0});
  u.cancel(1); // before it runs
  CHECK(u.submit_all(2) == names{0, 1});
}

TEST_CASE("if the only worker with the weight of the current round leaves, the "
          "round of the next larger weight begins, or the next cycle") {
  rounds_world w{1, {4, 2, 3}};
  // Round 2: 0 0 1 1 2 2. Round 3: 0
  CHECK(w.serve_all(7, 1ns) == names{0, 0, 1, 1, 2, 2, 0});
  w.retire(2);
  // Round 4: the cursor is at 0, which has used 3. Then a cycle of rounds 2 and
  // 4.
  CHECK(w.serve_all(7, 1ns) == names{0, 0, 0, 1, 1, 0, 0});
  rounds_world v{1, {2, 1, 1}};
  CHECK(v.submit_all(4) == names{0, 1, 2, 0});
  for (auto task : {0U, 2U, 3U})
    v.finish(task); // they have cost nothing: 0 1 0
  v.retire(0);
  // A new cycle: . 0 -1, and round 1 from the first worker on.
  CHECK(v.submit_all(3) == names{1, 2, 2});
}

} // namespace weighted_placements_tests
