/// The moments at which idle workers look for tasks, and which of them take
/// which.

#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace cost_aware_thieves_tests {

using libpool::duration;
using names = test::dispatcher_world::names;
using namespace std::chrono_literals;

namespace {

struct world : test::stealing_world {
  explicit world(std::size_t size = 2) {
    join_all(size);
  }

  /// Worker 0 has a task, and one that is too dear to move, so that all idle
  /// workers have looked in vain.
  void give_dear() {
    give(0, 10);
    give(0, 10, 100'000);
  }

  std::string sent(std::size_t task, std::size_t to) const {
    return "send " + std::to_string(task) + " to " + std::to_string(to);
  }
};

/// Moves that are too dear, but for one to that worker.
std::vector<duration> cheap_for(std::size_t worker) {
  std::vector<duration> result(12, 1h);
  result[worker] = 0ns;
  return result;
}

} // namespace

// -- when ---------------------------------------------------------------------

TEST_CASE("an idle worker takes over one task, as soon as the worker becomes "
          "idle or joins, or a task is assigned to another worker") {
  world w{1};
  for (auto i = 0; i < 5; ++i)
    w.give(0, 10);
  CHECK(w.join(3) == "send 1 to 1");
  CHECK(w.workers[1].in_flight == 1);
  CHECK(w.finish(1) == "end 1: completed; send 2 to 1");
  world v;
  v.give(0, 10);
  CHECK(v.give(0, 10) == "send 1 to 1");
  CHECK(v.give(0, 10) == "");
}

TEST_CASE(
  "a worker that pauses or rests takes no task until it is available again") {
  world w;
  w.give(0, 10);
  w.pause(1);
  CHECK(w.give(0, 10) == "");
  CHECK(w.resume(1) == "send 1 to 1");
  w.start(1);
  w.pass(8);
  w.finish(1);
  w.give(1, 10);
  w.start(2);
  w.crash(2); // so it rests for 8, as long as the one before took
  CHECK(w.give(0, 10) == "");
  CHECK(w.at(15) == "");
  CHECK(w.at(16) == "send 3 to 1");
}

TEST_CASE("while a worker is idle and a task might move, the pool needs a "
          "timer event each time that an estimate is to be doubled") {
  world w;
  w.give(0, 10);
  CHECK(w.next_tick() == -1); // nothing to take
  w.give(0, 10, 155);
  for (auto ms : {10, 20, 40, 80, 160}) {
    CHECK(w.next_tick() == ms);
    CHECK(w.at(ms - 1) == "");
    CHECK(w.next_tick() == ms);
    CHECK(w.at(ms) == (ms == 160 ? "send 1 to 1" : ""));
  }
  CHECK(w.next_tick() == -1);
}

// -- which of several ---------------------------------------------------------

TEST_CASE("the worker that has been idle for longest steals first") {
  world w{4};
  w.give(0, 30);
  w.give(1, 10);
  w.pass(1);
  w.finish(1); // 2, 3, 1
  CHECK(w.give(0, 10) == "send 2 to 2");
  CHECK(w.give(0, 10) == "send 3 to 3");
  CHECK(w.give(0, 10) == "send 4 to 1");
}

TEST_CASE("every idle worker is asked, even if a task is too expensive to move "
          "to many others, and when an estimate is doubled") {
  for (std::size_t taker = 1; taker < 12; ++taker) {
    CAPTURE(taker);
    auto moves = cheap_for(taker);
    world w{12};
    w.give_dear();
    CHECK(w.give_moves(moves, 10, 0) == w.sent(2, taker));
    world v{12};
    v.give(0, 1);
    CHECK(v.give_only({0, taker}, 0, 1, 10) == "");
    CHECK(v.at(8) == "");
    // Of the first task 16 is left: 10 + 1 <= 16 + 1 - 1 / 2.
    CHECK(v.at(16) == v.sent(1, taker));
  }
}

TEST_CASE("a task that many workers may run is stolen in the same way as a "
          "task that few workers may run, and so is the next such task") {
  for (std::size_t taker : {1U, 9U, 19U})
    for (std::size_t named : {8U, 9U, 40U}) {
      CAPTURE(taker);
      CAPTURE(named);
      names some{0};
      for (auto i = taker; some.size() < named; ++i)
        some.push_back(i);
      world w{20};
      w.give(0, 10);
      auto& where = w.only_on(some);
      for (std::size_t number : {1U, 2U}) {
        CHECK(w.give(0, 10, 0, &where) == w.sent(number, taker));
        w.finish(number);
      }
    }
}

TEST_CASE("a worker that becomes idle takes a task that the workers that were "
          "idle before may not run, or not cheaply") {
  for (std::size_t named : {0U, 30U}) {
    CAPTURE(named);
    names some{0, 3};
    for (std::size_t i = 0; i < named; ++i)
      some.push_back(100 + i);
    world w{5};
    w.give(0, 10);
    w.give(3, 10);
    CHECK(w.give_only(some, 0, 10) == "");
    CHECK(w.give(0, 10, 100'000) == "");
    CHECK(w.finish(1) == "end 1: completed; send 2 to 3");
  }
  auto moves = cheap_for(7);
  world w{8};
  w.give_dear(); // six have looked, after 1
  w.give(7, 10);
  CHECK(w.give_moves(moves, 10, 0) == "");
  CHECK(w.finish(2) == "end 2: completed; send 3 to 7");
}

TEST_CASE("a restricted task is stolen by that permitted worker that has been "
          "idle for longest, after others have looked at many tasks in vain") {
  world w{7};
  w.give_dear();
  CHECK(w.give_only({0, 6}, 0, 10) == "send 2 to 6");
  world v{3};
  v.give(0, 20'000);
  for (auto i = 0; i < 16; ++i)
    v.give(0, 1000, 1'000'000);
  CHECK(v.give(0, 1, 10'000) == ""); // worth moving, but behind the others
  CHECK(v.give_only({0, 2}, 0, 1) == "send 18 to 2");
  world u{6};
  u.give(2, 10);
  u.give_dear(); // 1, 3, 4 and 5 have looked
  u.pass(1);
  u.finish(0); // and so has 2
  CHECK(u.give_only({0, 2, 5}, 0, 10) == "send 3 to 5");
}

TEST_CASE(
  "a thief that is asked out of turn does not use the turn of another thief") {
  world w{7};
  for (std::size_t i = 0; i < 7; ++i)
    w.give(i, 10);
  w.give_only({0, 5}, 0, 10);
  for (std::size_t i = 1; i < 5; ++i)
    w.finish(i); // they look, in vain
  w.dispatches = false;
  w.finish(5);
  w.finish(6);
  w.give_only({0, 6}, 0, 10, 100'000);
  CHECK(w.dispatch() == "send 7 to 5");
}

TEST_CASE("an idle worker that is about to steal a task, but leaves or gets "
          "another task first, does not steal") {
  for (auto leaves : {true, false}) {
    world w{7};
    w.give_dear();
    w.dispatches = false;
    w.give_only({0, 6}, 0, 10);
    leaves ? w.leave(6) : w.give(6, 10);
    CHECK(w.dispatch() == (leaves ? "" : "send 3 to 6"));
    CHECK(w.tasks[2].on == &w.workers[0]);
  }
}

} // namespace cost_aware_thieves_tests
