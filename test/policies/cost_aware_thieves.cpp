/// The tasks that each of several idle workers takes over.

#include "support/cost_aware_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

using libpool::duration;
using world = test::cost_aware_world;
using namespace std::chrono_literals;

TEST_CASE("the worker that has been idle for longest steals first") {
  world w;
  w.join_all(4);
  w.give(0, 30);
  w.give(1, 10);
  w.pass(1);
  w.finish(1); // 2, 3, 1
  CHECK(w.give(0, 10) == "send 2 to 2");
  CHECK(w.give(0, 10) == "send 3 to 3");
  CHECK(w.give(0, 10) == "send 4 to 1");
}

TEST_CASE("among workers that became idle at the same time, the worker that "
          "joined first steals first") {
  world w;
  w.join_all(4);
  w.give(0, 30);
  for (std::size_t i : {1U, 2U, 3U})
    w.give(i, 10);
  w.pass(10);
  for (std::size_t i : {3U, 1U, 2U})
    w.finish(i);
  CHECK(w.give(0, 10) == "send 4 to 1");
  CHECK(w.give(0, 10) == "send 5 to 2");
  CHECK(w.give(0, 10) == "send 6 to 3");
}

TEST_CASE("a second idle worker steals a task that the first idle worker did "
          "not steal") {
  world w;
  w.join_all(3);
  w.give(0, 10);
  w.dispatches = false;
  w.give(0, 10);
  w.give(0, 10);
  w.give(0, 10);
  CHECK(w.dispatch() == "send 1 to 1; send 2 to 2");
}

TEST_CASE("an idle worker steals a task even if the task is too expensive to "
          "move to many other idle workers") {
  for (std::size_t near = 1; near < 12; ++near) {
    CAPTURE(near);
    std::vector<duration> moves(12, 1h);
    moves[near] = 0ns;
    world w;
    w.join_all(12);
    w.give(0, 10);
    w.give(0, 10, 100'000); // all have looked
    auto& task = w.add(0, 10);
    task.moves = &moves;
    CHECK(w.submit(task) == "send 2 to " + std::to_string(near));
  }
}

TEST_CASE("when an estimate is doubled, every idle worker that may run the "
          "task considers stealing the task") {
  for (std::size_t permitted = 1; permitted < 12; ++permitted) {
    CAPTURE(permitted);
    world w;
    w.join_all(12);
    w.give(0, 1);
    auto& task = w.add(0, 1, 10);
    task.where = &w.only_on({0, permitted});
    CHECK(w.submit(task) == "");
    CHECK(w.at(8) == "");
    // Of the first task 16 is left: 10 + 1 <= 16 + 1 - 1 / 2.
    CHECK(w.at(16) == "send 1 to " + std::to_string(permitted));
  }
}

TEST_CASE("an idle worker finds a task that it may run among many tasks that "
          "it may not run") {
  world w;
  w.join_all(3);
  w.give(0, 10);
  auto& for_2 = w.only_on({0, 2});
  for (auto i = 0; i < 20; ++i) {
    auto& task = w.add(0, 10, 100'000);
    task.where = &for_2;
    w.submit(task);
  }
  auto& task = w.add(0, 10);
  task.where = &w.only_on({0, 1});
  CHECK(w.submit(task) == "send 21 to 1");
}

TEST_CASE("a task that many workers may run is stolen in the same way as a "
          "task that few workers may run, and so is the next such task") {
  for (std::size_t taker : {1U, 9U, 19U})
    for (std::size_t named : {8U, 9U, 40U}) {
      CAPTURE(taker);
      CAPTURE(named);
      std::vector<std::size_t> some{0};
      for (auto i = taker; some.size() < named; ++i)
        some.push_back(i);
      world w;
      w.join_all(20);
      w.give(0, 10);
      auto& where = w.only_on(some);
      for (std::size_t number : {1U, 2U}) {
        auto& task = w.add(0, 10);
        task.where = &where;
        CHECK(w.submit(task)
              == "send " + std::to_string(number) + " to "
                   + std::to_string(taker));
        w.finish(number);
      }
    }
}

TEST_CASE("a worker that becomes idle takes a task that the workers that were "
          "idle before may not run") {
  for (std::size_t named : {0U, 30U}) {
    CAPTURE(named);
    std::vector<std::size_t> some{0, 3};
    for (std::size_t i = 0; i < named; ++i)
      some.push_back(100 + i);
    world w;
    w.join_all(5);
    w.give(0, 10);
    w.give(3, 10);
    auto& task = w.add(0, 10);
    task.where = &w.only_on(some);
    CHECK(w.submit(task) == "");
    CHECK(w.give(0, 10, 100'000) == "");
    CHECK(w.finish(1) == "end 1: completed; send 2 to 3");
  }
}

TEST_CASE("a worker that becomes idle looks for tasks even if many other "
          "workers have found none") {
  std::vector<duration> moves(8, 1h);
  moves[7] = 0ns;
  world w;
  w.join_all(8);
  w.give(0, 10);
  w.give(7, 10);
  w.give(0, 10, 100'000); // six have looked
  auto& task = w.add(0, 10);
  task.moves = &moves;
  CHECK(w.submit(task) == "");
  CHECK(w.finish(1) == "end 1: completed; send 3 to 7");
}

TEST_CASE("an idle worker gets a task that no other idle worker may run, even "
          "if many other workers are idle") {
  world w;
  w.join_all(7);
  w.give(0, 10);
  w.give(0, 10, 100'000); // all six have looked
  auto& task = w.add(0, 10);
  task.where = &w.only_on({0, 6});
  CHECK(w.submit(task) == "send 2 to 6");
}

TEST_CASE("an idle worker steals a restricted task after another idle worker "
          "has looked at many tasks in vain") {
  world w;
  w.join_all(3);
  w.give(0, 20'000);
  for (auto i = 0; i < 16; ++i)
    w.give(0, 1000, 1'000'000);
  CHECK(w.give(0, 1, 10'000) == ""); // worth moving, but behind the others
  auto& task = w.add(0, 1);
  task.where = &w.only_on({0, 2});
  CHECK(w.submit(task) == "send 18 to 2");
}

TEST_CASE("a restricted task is stolen by that permitted worker that has been "
          "idle for longest") {
  world w;
  w.join_all(6);
  w.give(0, 10);
  w.give(2, 10);
  w.give(0, 10, 100'000); // 1, 3, 4 and 5 have looked
  w.pass(1);
  w.finish(1); // and so has 2
  auto& task = w.add(0, 10);
  task.where = &w.only_on({0, 2, 5});
  CHECK(w.submit(task) == "send 3 to 5");
}

TEST_CASE(
  "a thief that is asked out of turn does not use the turn of another thief") {
  world w;
  w.join_all(7);
  for (std::size_t i = 0; i < 7; ++i)
    w.give(i, 10);
  auto& for_5 = w.add(0, 10);
  for_5.where = &w.only_on({0, 5});
  w.submit(for_5);
  for (std::size_t i = 1; i < 5; ++i)
    w.finish(i); // they look, in vain
  w.dispatches = false;
  w.finish(5);
  w.finish(6);
  auto& for_6 = w.add(0, 10, 100'000);
  for_6.where = &w.only_on({0, 6});
  w.submit(for_6);
  CHECK(w.dispatch() == "send 7 to 5");
}

TEST_CASE(
  "a worker that leaves while a task is offered to it does not take the task") {
  world w;
  w.join_all(7);
  w.give(0, 10);
  w.give(0, 10, 100'000);
  w.dispatches = false;
  auto& task = w.add(0, 10);
  task.where = &w.only_on({0, 6});
  w.submit(task);
  w.leave(6);
  CHECK(w.dispatch() == "");
}

TEST_CASE("an idle worker that is about to steal a task, but gets another task "
          "first, does not steal") {
  world w;
  w.join_all(7);
  w.give(0, 10);
  w.give(0, 10, 100'000); // all six have looked
  w.dispatches = false;
  auto& task = w.add(0, 10);
  task.where = &w.only_on({0, 6});
  w.submit(task);
  w.give(6, 10);
  CHECK(w.dispatch() == "send 3 to 6");
  CHECK(w.tasks[2].on == &w.workers[0]);
}
