/// The laws of cost-aware stealing, whatever happens.

#include "support/drawn_facts.hpp"
#include "support/fact_sequence.hpp"
#include "support/policy_world.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

using libpool::assignment;
using test::live_through;
using world = test::stealing_world;

namespace {

/// A pool with more victims than a thief looks at, and more tasks of each.
test::settings settings_of(bool moves_are_dear) {
  test::settings result;
  result.tasks = 40;
  result.workers = 9;
  result.within.retries = 1;
  result.when = assignment::eager;
  result.steals = result.weighs_costs = true;
  result.moves_are_dear = moves_are_dear;
  result.windows[1] = 2;
  result.windows[2] = 3;
  result.joined = 2;
  return result;
}

std::vector<int> some_costs() {
  return *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 50));
}

} // namespace

TEST_CASE(
  "a task has at most one worker, and moves only as the stealing plan states") {
  CHECK(rc::check("all laws hold for any sequence of events", [] {
    test::check_life(settings_of(false), test::drawn_facts());
  }));
}

TEST_CASE("cost-aware stealing obeys all laws in long runs with many steals, "
          "also if most tasks are expensive to move to another worker") {
  for (auto moves_are_dear : {false, true}) {
    CAPTURE(moves_are_dear);
    const std::uint64_t lives = (moves_are_dear ? 30 : 50)
                                * (test::sanitized() ? 2 : 10);
    std::uint64_t steals = 0;
    std::uint64_t completed = 0;
    std::size_t doublings = 0;
    for (std::uint64_t seed = 0; seed < lives; ++seed) {
      CAPTURE(seed);
      auto outcome = live_through(settings_of(moves_are_dear),
                                  test::likely_facts(seed, 720));
      CHECK(outcome.broken == "");
      steals += outcome.steals;
      completed += outcome.completed;
      doublings += outcome.doublings;
    }
    // Of 720 facts some 125 submit a task, and some 65 end a task.
    CHECK(completed > lives * 40);
    CHECK(steals > lives * (moves_are_dear ? 2 : 10));
    CHECK((moves_are_dear || doublings > lives * 2));
  }
}

TEST_CASE("equal tasks that are evenly distributed over the workers are not "
          "stolen by idle workers") {
  CHECK(rc::check("equal tasks stay with their workers", [] {
    auto workers = *rc::gen::inRange<std::size_t>(1, 8);
    auto rounds = *rc::gen::inRange<std::size_t>(1, 8);
    auto cost = *rc::gen::inRange(0, 20);
    auto move = *rc::gen::inRange(0, 3);
    world w;
    w.join_all(workers);
    for (std::size_t i = 0; i < rounds * workers; ++i)
      w.give(i % workers, cost, move);
    for (std::size_t i = 0; i < rounds * workers; ++i) {
      w.pass(i % workers == 0 ? cost : 0);
      w.finish(i);
    }
    RC_ASSERT(w.pool.record().all.stolen == 0U);
    RC_ASSERT(w.pool.books().completed == rounds * workers);
  }));
}

TEST_CASE(
  "a task is not stolen if its move costs more than all tasks together") {
  CHECK(rc::check("tasks with expensive moves stay", [] {
    auto costs = some_costs();
    auto all = std::accumulate(costs.begin(), costs.end(), 1);
    world w;
    w.join_all(3);
    for (auto cost : costs)
      w.give(0, cost, all);
    w.join_all(3);
    RC_ASSERT(w.pool.record().all.stolen == 0U);
    RC_ASSERT(w.workers[0].in_flight == costs.size());
  }));
}

TEST_CASE("a worker does not stay idle if another worker has waiting tasks "
          "that cost nothing to move") {
  CHECK(rc::check("tasks assigned to one worker spread to all workers", [] {
    auto costs = some_costs();
    auto workers = *rc::gen::inRange<std::size_t>(1, 12);
    world w;
    w.join_all(workers);
    for (auto cost : costs)
      w.give(0, cost);
    std::size_t busy = 0;
    for (const auto& worker : w.workers)
      busy += worker.in_flight > 0 ? 1 : 0;
    RC_ASSERT(busy == std::min(workers, costs.size()));
  }));
}

TEST_CASE(
  "a worker from which idle workers steal tasks keeps at least one task") {
  CHECK(rc::check("each victim keeps a task", [] {
    auto costs = some_costs();
    auto thieves = *rc::gen::inRange<std::size_t>(1, 12);
    world w;
    w.join_all(3);
    for (std::size_t i = 0; i < 3; ++i)
      w.pause(i); // so nothing moves yet
    for (std::size_t i = 0; i < costs.size(); ++i)
      w.give(i % 3, costs[i]);
    w.join_all(thieves);
    for (std::size_t i = 0; i < 3; ++i)
      RC_ASSERT((w.workers[i].in_flight > 0) == (costs.size() > i));
    RC_ASSERT(w.pool.record().all.stolen
              == std::min(thieves, costs.size()
                                     - std::min<std::size_t>(3, costs.size())));
  }));
}
