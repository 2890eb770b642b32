/// Tasks that cost-aware stealing leaves where they are.

#include "support/cost_aware_world.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using world = test::cost_aware_world;

TEST_CASE("a task that is restricted to some workers can be stolen only by one "
          "of these workers") {
  world w;
  w.join();
  w.give(0, 10);
  auto& task = w.add(0, 10);
  task.where = &w.only_on({0, 2});
  w.submit(task);
  auto& other = w.add(0, 10);
  other.where = &w.only_on({0});
  w.submit(other);
  CHECK(w.join() == "");
  CHECK(w.join() == "send 1 to 2");
  CHECK(w.join() == "");
}

TEST_CASE("an idle worker may steal a task even if the task prefers the worker "
          "that has the task") {
  world w;
  w.join();
  w.give(0, 10);
  auto& task = w.add(0, 10);
  task.where = &w.best_on({0});
  w.submit(task);
  CHECK(w.join() == "send 1 to 1");
}

TEST_CASE("a task with a key is not stolen") {
  world w;
  w.join();
  w.give(0, 10);
  auto& task = w.add(0, 10);
  task.key = 1;
  w.submit(task);
  CHECK(w.join() == "");
  CHECK(w.next_tick() == -1); // there is nothing to wait for
}

TEST_CASE("a task that was already sent to its worker is not stolen by an idle "
          "worker") {
  world w;
  w.join(2);
  w.give(0, 10);
  w.give(0, 10);
  CHECK(w.join() == "");
  w.give(1, 10);
  w.give(0, 10);
  CHECK(w.join() == "send 3 to 2");
}

TEST_CASE("the last task of a worker is not stolen by an idle worker") {
  world w;
  w.join();
  w.pause(0);
  w.give(0, 10);
  CHECK(w.join() == "");
  CHECK(w.give(0, 10) == "send 0 to 1");
  CHECK(w.join() == "");
}

TEST_CASE("an idle worker considers the tasks of at most four other workers "
          "when it steals") {
  for (auto dear : {3U, 4U}) {
    CAPTURE(dear);
    world w;
    w.join_all(dear + 1);
    for (std::size_t i = 0; i <= dear; ++i)
      w.give(i, 10);
    for (std::size_t i = 0; i < dear; ++i)
      w.give(i, 100, 1000);
    w.give(dear, 10);
    auto text = std::to_string(2 * dear + 1);
    CHECK(w.join() == (dear == 4 ? "" : "send " + text + " to 4"));
  }
}

TEST_CASE(
  "a worker with a single task does not count as one of the four victims") {
  world w;
  w.join_all(6);
  for (std::size_t i = 0; i < 5; ++i) {
    w.pause(i);
    w.give(i, 100);
  }
  w.give(5, 10);
  w.give(5, 10);
  CHECK(w.join() == "send 6 to 6");
}

TEST_CASE("the four workers whose tasks an idle worker considers all have a "
          "task that the idle worker may run") {
  world w;
  w.join_all(7);
  for (std::size_t i = 0; i < 6; ++i)
    w.give(i, 10);
  auto& where = w.only_on({0, 1, 2, 3, 4, 9});
  for (std::size_t i = 0; i < 5; ++i) {
    auto& task = w.add(i, 100);
    task.where = &where;
    w.submit(task);
  }
  CHECK(w.give(5, 10) == "send 11 to 6");
}

// Of a victim's load of 10 for the running task, 10 for each dear one, and 1,
// the last task is worth its move of 100 if that is 100 + 1 <= load - 1 / 2.

TEST_CASE("an idle worker considers at most sixteen tasks of each worker from "
          "which it may steal") {
  for (auto dear : {15, 16}) {
    CAPTURE(dear);
    world w;
    w.join();
    w.give(0, 10);
    for (auto i = 0; i < dear; ++i)
      w.give(0, 10, 1000);
    w.give(0, 1, 100);
    CHECK(w.join() == (dear == 15 ? "send 16 to 1" : ""));
  }
}

TEST_CASE("the sixteen tasks that an idle worker considers are tasks that the "
          "idle worker may run") {
  world w;
  w.join();
  auto& where = w.only_on({0, 9});
  w.give(0, 10);
  for (auto i = 0; i < 30; ++i) {
    auto& task = w.add(0, 10);
    task.where = &where;
    w.submit(task);
  }
  w.give(0, 10);
  CHECK(w.join() == "send 31 to 1");
}

TEST_CASE(
  "a task after the sixteenth is stolen once it is one of the first sixteen") {
  world w;
  w.join_all(2);
  w.give(0, 10);
  w.give(1, 10);
  for (auto i = 0; i < 16; ++i)
    w.give(0, 10, 1000);
  w.give(0, 1, 100);
  CHECK(w.finish(1) == "end 1: completed");
  CHECK(w.cancel(7) == "end 7: cancelled, the client has ended; send 18 to 1");
}
