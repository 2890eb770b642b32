/// The tasks that cost-aware stealing moves, and those that it leaves.

#include "libpool/policies/stealing/cost_aware_stealing.hpp"

#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace cost_aware_stealing_tests {

using libpool::duration;
using namespace std::chrono_literals;

namespace {

struct world : test::stealing_world {
  explicit world(std::size_t size = 1) {
    join_all(size);
  }
};

std::string sent(std::size_t task, std::size_t to) {
  return "send " + std::to_string(task) + " to " + std::to_string(to);
}

} // namespace

// Costs are in milliseconds. A worker 0 that runs a task of which r is left,
// with one of cost c behind it that is at home there, has the load r + c: that
// one moves at the cost m if m + c <= r + c - c / 2, so if m <= r - c / 2.

// -- moves that pay -----------------------------------------------------------

TEST_CASE("a task is stolen if moving the task costs at most the work ahead of "
          "the task, doubled when exceeded, minus half the cost of the task") {
  struct moment {
    int after;
    int dearest;
  };
  // Of 10, then 20, then 40 is left: 10, 6, 1, 10, 1, 20, 15.
  for (auto m : {moment{0, 5}, moment{4, 1}, moment{10, 5}, moment{20, 15},
                 moment{25, 10}})
    for (auto more : {0, 1}) {
      CAPTURE(m.after);
      CAPTURE(more);
      world w;
      w.give(0, 10);
      w.give(0, 10, m.dearest + more);
      w.pass(m.after);
      CHECK(w.join() == (more == 0 ? "send 1 to 1" : ""));
    }
}

TEST_CASE("a task whose move takes the maximum duration causes no arithmetic "
          "overflow") {
  world w;
  w.give(0, 10);
  auto& task = w.add(0, 10);
  task.own_notes().move = duration::max();
  w.submit(task);
  auto& other = w.add(0, 10);
  other.own_notes().estimate = duration::max();
  other.own_notes().home.reset();
  other.own_notes().move = duration::max();
  w.submit(other);
  CHECK(w.join() == "send 2 to 1"); // to where it is, it takes as long
  CHECK(w.join() == "");
  CHECK(w.pool.next_tick() == w.moment(10));
}

// -- which one ----------------------------------------------------------------

TEST_CASE("tasks with the cheapest moves are stolen first, and among equals "
          "the oldest task") {
  world w;
  w.give(0, 100);
  w.give(0, 10, 40); // 2^2 times its cost
  w.give(0, 10, 25); // 2^1, and some more
  w.give(0, 10, 20);
  w.give(0, 10, 19); // 2^0
  w.give(0, 10, 0);
  w.give(0, 10, 0);
  std::size_t thief = 0;
  for (const auto* task : {"5", "6", "4", "2", "3", "1"})
    CHECK(w.join()
          == std::string{"send "} + task + " to " + std::to_string(++thief));
  CHECK(w.pool.record().all.stolen == 6);
  CHECK(w.tasks[5].notes().steals == 1);
  CHECK(w.workers[1].record.stolen == 1);
}

TEST_CASE("the level of a task depends on its most expensive move, not on the "
          "thief, and has bounds of a millionth and a million") {
  const std::vector<duration> moves{0ns, 0ns, 80ms};
  world w;
  w.give(0, 100);
  w.give_moves(moves, 10, 0);
  w.give(0, 10, 20);
  CHECK(w.join() == "send 2 to 1");
  world v;
  v.give(0, 0);
  for (duration move : {1600us, 400us, 0us}) { // 2^-22 and 2^-24 of it
    auto& task = v.add(0, 3'600'000);
    task.own_notes().move = move;
    v.submit(task);
  }
  CHECK(v.join() == "send 3 to 1");
  CHECK(v.join() == "send 1 to 2");
  world u;
  u.give(0, 10);
  for (auto move : {20, 5}) { // 2^24 and 2^22 times it
    auto& task = u.add(0, 0, move);
    task.own_notes().home.reset();
    u.submit(task);
  }
  CHECK(u.join() == "send 1 to 1");
}

// -- how many are considered --------------------------------------------------

TEST_CASE("an idle worker considers the tasks of at most four other workers "
          "that have several tasks, one of which the idle worker may run") {
  for (auto dear : {3U, 4U}) {
    CAPTURE(dear);
    world w;
    w.join_all(dear);
    for (std::size_t i = 0; i <= dear; ++i)
      w.give(i, 10);
    for (std::size_t i = 0; i < dear; ++i)
      w.give(i, 100, 1000);
    w.give(dear, 10);
    auto text = std::to_string(2 * dear + 1);
    CHECK(w.join() == (dear == 4 ? "" : "send " + text + " to 4"));
  }
  world single;
  single.join_all(5);
  for (std::size_t i = 0; i < 5; ++i) {
    single.pause(i);
    single.give(i, 100);
  }
  single.give(5, 10);
  single.give(5, 10);
  CHECK(single.join() == "send 6 to 6");
  world barred;
  barred.join_all(6);
  for (std::size_t i = 0; i < 6; ++i)
    barred.give(i, 10);
  auto& where = barred.only_on({0, 1, 2, 3, 4, 9});
  for (std::size_t i = 0; i < 5; ++i)
    barred.give(i, 100, 0, &where);
  CHECK(barred.give(5, 10) == "send 11 to 6");
}

// Of a victim's load of 10 for the running task, 10 for each dear one, and 1,
// the last task is worth its move of 100 if that is 100 + 1 <= load - 1 / 2.
TEST_CASE("an idle worker considers the first sixteen tasks of each worker "
          "that the idle worker may run") {
  for (auto dear : {15, 16}) {
    CAPTURE(dear);
    world w;
    w.give(0, 10);
    for (auto i = 0; i < dear; ++i)
      w.give(0, 10, 1000);
    w.give(0, 1, 100);
    CHECK(w.join() == (dear == 15 ? "send 16 to 1" : ""));
    if (dear == 16)
      CHECK(w.cancel(7)
            == "end 7: cancelled, the client has ended; send 17 to 1");
  }
  world barred;
  auto& where = barred.only_on({0, 9});
  barred.give(0, 10);
  for (auto i = 0; i < 30; ++i)
    barred.give(0, 10, 0, &where);
  barred.give(0, 10);
  CHECK(barred.join() == "send 31 to 1");
}

TEST_CASE("every idle worker is asked, even if a task is too expensive to move "
          "to many others, and when an estimate is doubled") {
  for (std::size_t taker = 1; taker < 12; ++taker) {
    CAPTURE(taker);
    std::vector<duration> moves(12, 1h); // too dear, except to this worker
    moves[taker] = 0ns;
    world w{12};
    w.give(0, 10);
    w.give(0, 10, 100'000); // so all idle workers have looked in vain
    CHECK(w.give_moves(moves, 10, 0) == sent(2, taker));
    world v{12};
    v.give(0, 1);
    CHECK(v.give(0, 1, 10, &v.only_on({0, taker})) == "");
    CHECK(v.at(8) == "");
    // Of the first task 16 is left: 10 + 1 <= 16 + 1 - 1 / 2.
    CHECK(v.at(16) == sent(1, taker));
  }
}

TEST_CASE("a task that many workers may run is stolen in the same way as a "
          "task that few workers may run, and so is the next such task") {
  for (std::size_t taker : {1U, 9U, 19U})
    for (std::size_t named : {8U, 9U, 40U}) {
      CAPTURE(taker);
      CAPTURE(named);
      world::names some{0};
      for (auto i = taker; some.size() < named; ++i)
        some.push_back(i);
      world w{20};
      w.give(0, 10);
      auto& where = w.only_on(some);
      for (std::size_t number : {1U, 2U}) {
        CHECK(w.give(0, 10, 0, &where) == sent(number, taker));
        w.finish(number);
      }
    }
}

} // namespace cost_aware_stealing_tests
