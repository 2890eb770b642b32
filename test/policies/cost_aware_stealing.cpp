#include "libpool/policies/cost_aware_stealing.hpp"

#include "support/cost_aware_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

using libpool::cost_aware_options;
using libpool::cost_aware_stealing;
using libpool::duration;
using world = test::cost_aware_world;
using namespace std::chrono_literals;

// Costs are in milliseconds. A worker 0 that runs a task of which r is left,
// with one of cost c behind it that is at home there, has the load r + c: that
// one moves at the cost m if m + c <= r + c - c / 2, so if m <= r - c / 2.

// -- estimates ----------------------------------------------------------------

TEST_CASE("cost-aware stealing rejects options that are out of bounds") {
  auto with = [](double alpha, duration initial) {
    cost_aware_options result;
    result.alpha = alpha;
    result.initial_estimate = initial;
    return result;
  };
  CHECK_THROWS_AS(cost_aware_stealing{with(0, 1ns)}, std::invalid_argument);
  CHECK_THROWS_AS(cost_aware_stealing{with(1.01, 1ns)}, std::invalid_argument);
  CHECK_THROWS_AS(cost_aware_stealing{with(std::nan(""), 1ns)},
                  std::invalid_argument);
  CHECK_THROWS_AS(cost_aware_stealing{with(1, 0ns)}, std::invalid_argument);
  CHECK_NOTHROW(cost_aware_stealing{with(1, 1ns)});
}

TEST_CASE("the estimate for a task is the mean of its kind of tasks, otherwise "
          "the mean of all kinds, otherwise the initial estimate") {
  cost_aware_options options;
  options.initial_estimate = 7ms;
  world w{options};
  w.join();
  CHECK(w.stealing.estimate(1) == 7ms);
  w.serve(0, 1, {4});
  CHECK(w.stealing.estimate(1) == 4ms);
  CHECK(w.stealing.estimate(2) == 4ms);
  w.serve(0, 1, {8});
  CHECK(w.stealing.estimate(1) == 5ms); // 4 + (8 - 4) / 4
  w.serve(0, 2, {11});
  CHECK(w.stealing.estimate(2) == 11ms);
  CHECK(w.stealing.estimate(3) == 8ms); // (5 + 11) / 2
  w.serve(0, 1, {9});
  CHECK(w.stealing.estimate(1) == 6ms); // 5 + (9 - 5) / 4
  CHECK(w.stealing.estimate(3) == duration{8500us});
}

TEST_CASE("a task that crashes its worker, or that its worker gives back, does "
          "not change the estimate of its kind of tasks") {
  world w;
  w.join();
  w.serve(0, 1, {4});
  w.give_kind(0, 1);
  w.start(1);
  w.pass(100);
  w.crash(1);
  CHECK(w.stealing.estimate(1) == 4ms);
  w.pass(1000);
  w.at(5000);
  w.give_kind(0, 1);
  w.retire(0);
  w.come_back(2);
  CHECK(w.stealing.estimate(1) == 4ms);
}

TEST_CASE("the cost of a task is its own estimate, otherwise the estimate of "
          "its kind") {
  for (auto hinted : {false, true})
    for (auto move : {5, 6, 13, 14}) {
      CAPTURE(hinted);
      CAPTURE(move);
      world w;
      w.join();
      w.serve(0, 1, {18});
      auto& first = w.add(0, 10);
      first.kind = 1;
      if (!hinted)
        first.estimate.reset(); // so it is 18
      w.submit(first);
      w.give(0, 10, move);
      CHECK(w.join() == (move <= (hinted ? 5 : 13) ? "send 2 to 1" : ""));
    }
}

TEST_CASE("the cost of a task is at least a nanosecond") {
  world w;
  w.join();
  w.give(0, 0);
  w.give(0, -5, 1);
  CHECK(w.join() == "");
  CHECK(w.join() == "");
}

// -- moves that pay -----------------------------------------------------------

TEST_CASE("a task is stolen if moving the task costs at most the work ahead of "
          "the task minus half the cost of the task") {
  for (auto move = 0; move < 12; ++move) {
    CAPTURE(move);
    world w;
    w.join();
    w.give(0, 10);
    w.give(0, 10, move);
    CHECK(w.join() == (move <= 5 ? "send 1 to 1" : ""));
  }
}

TEST_CASE("the load of a worker contains the remaining estimate of its running "
          "task, and an exceeded estimate is doubled") {
  struct moment {
    int after;
    int dearest;
  };
  // Of 10, then 20, then 40 is left: 6, 1, 10, 1, 20, 15.
  for (auto m : {moment{4, 1}, moment{10, 5}, moment{20, 15}, moment{25, 10}})
    for (auto more : {0, 1}) {
      CAPTURE(m.after);
      CAPTURE(more);
      world w;
      w.join();
      w.give(0, 10);
      w.give(0, 10, m.dearest + more);
      w.pass(m.after);
      CHECK(w.join() == (more == 0 ? "send 1 to 1" : ""));
    }
}

TEST_CASE("the load of a worker includes the times to move the data of its "
          "tasks to the worker") {
  std::vector<duration> moves{8ms, 9ms};
  for (auto cost : {10, 11}) {
    CAPTURE(cost);
    world w;
    w.join();
    w.give(0, 10);
    auto& task = w.add(0, cost);
    task.home.reset();
    task.moves = &moves;
    w.submit(task); // 9 + cost <= 10 + cost + 8 - (cost + 8) / 2
    CHECK(w.join() == (cost == 10 ? "send 1 to 1" : ""));
  }
}

TEST_CASE("a task whose data is as close to the idle worker as to the present "
          "worker is stolen regardless of the loads") {
  std::vector<duration> moves{8ms, 8ms};
  world w;
  w.join();
  w.give(0, 1);
  auto& task = w.add(0, 1000);
  task.home.reset();
  task.moves = &moves;
  w.submit(task);
  CHECK(w.join() == "send 1 to 1");
}

TEST_CASE("a task whose move takes the maximum duration causes no arithmetic "
          "overflow") {
  world w;
  w.join();
  w.give(0, 10);
  auto& task = w.add(0, 10);
  task.move = duration::max();
  w.submit(task);
  auto& other = w.add(0, 10);
  other.estimate = duration::max();
  other.home.reset();
  other.move = duration::max();
  w.submit(other);
  CHECK(w.join() == "send 2 to 1"); // to where it is, it takes as long
  CHECK(w.join() == "");
  CHECK(w.pool.next_tick() == world::moment(10));
}

// -- which one ----------------------------------------------------------------

TEST_CASE("tasks with the cheapest moves are stolen first, and among equals "
          "the oldest task") {
  world w;
  w.join();
  w.give(0, 100);
  w.give(0, 10, 40); // 2^2 times its cost
  w.give(0, 10, 25); // 2^1, and some more
  w.give(0, 10, 20);
  w.give(0, 10, 19); // 2^0
  w.give(0, 10, 0);
  w.give(0, 10, 0);
  CHECK(w.join() == "send 5 to 1");
  CHECK(w.join() == "send 6 to 2");
  CHECK(w.join() == "send 4 to 3");
  CHECK(w.join() == "send 2 to 4");
  CHECK(w.join() == "send 3 to 5");
  CHECK(w.join() == "send 1 to 6");
  CHECK(w.pool.steals() == 6);
  CHECK(w.tasks[5].steals == 1);
  CHECK(w.workers[1].record.stolen == 1);
}

TEST_CASE(
  "the level of a task depends on its most expensive move, not on the thief") {
  std::vector<duration> moves{0ns, 0ns, 80ms};
  world w;
  w.join();
  w.give(0, 100);
  auto& task = w.add(0, 10);
  task.moves = &moves;
  w.submit(task);
  w.give(0, 10, 20);
  CHECK(w.join() == "send 2 to 1");
}

TEST_CASE("tasks whose moves cost less than a millionth of the task rank "
          "equally, behind tasks whose moves cost nothing") {
  world w;
  w.join();
  auto give = [&w](duration move) {
    auto& task = w.add(0, 0);
    task.estimate = 1h;
    task.move = move;
    w.submit(task);
  };
  give(0ns);
  give(1600us); // 2^-22 of it
  give(400us);  // 2^-24 of it
  give(0ns);
  CHECK(w.join() == "send 3 to 1");
  CHECK(w.join() == "send 1 to 2");
}

TEST_CASE(
  "moves that cost more than a million times the task are ranked equally") {
  world w;
  w.join();
  w.give(0, 10);
  for (auto move : {20, 5}) { // 2^24 and 2^22 times it
    auto& task = w.add(0, 0, move);
    task.home.reset();
    w.submit(task);
  }
  CHECK(w.join() == "send 1 to 1");
}

TEST_CASE("idle workers steal first from the worker with the largest load, and "
          "among equals from the worker that joined first") {
  world w;
  w.join_all(3);
  for (std::size_t i = 0; i < 3; ++i)
    w.give(i, 10);
  w.give(0, 10);
  w.give(1, 30);
  w.give(2, 30);
  CHECK(w.join() == "send 4 to 3");
  CHECK(w.join() == "send 5 to 4");
  CHECK(w.join() == "send 3 to 5");
  CHECK(w.join() == "");
}

TEST_CASE("idle workers steal from the worker with the most remaining work, "
          "not from the worker with the most tasks") {
  // Of 16 with 4, and of twice 10 with 4, is left: 17 to 18, 16 each, 15 to 14.
  for (std::size_t first : {0U, 1U})
    for (auto later : {3, 4, 5}) {
      CAPTURE(first);
      CAPTURE(later);
      auto second = 1 - first;
      world w;
      w.join(first == 0 ? 1 : 2);
      w.join(first == 0 ? 2 : 1);
      w.give(first, 16);
      w.give(second, 10);
      w.give(second, 10);
      w.start(2); // both run
      w.give(first, 4);
      w.give(second, 4);
      w.pass(later);
      auto from_second = later == 4 ? second == 0 : later == 3;
      CHECK(w.join() == (from_second ? "send 4 to 2" : "send 3 to 2"));
    }
}
