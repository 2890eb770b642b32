/// The tasks that cost-aware stealing moves, and those that it leaves.

#include "libpool/policies/stealing/cost_aware_stealing.hpp"

#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cost_aware_stealing_tests {

using libpool::duration;
using namespace std::chrono_literals;

namespace {

struct world : test::stealing_world {
  explicit world(const libpool::cost_aware_options& options = {})
    : stealing_world(options) {
    join();
  }

  /// Submits a task that does not say what it costs.
  std::string give_kind(std::uint64_t kind) {
    auto& task = add(0, 0);
    task.own_notes().estimate.reset();
    task.set_kind(kind);
    return submit(task);
  }

  /// Has the worker do a task of that kind, at this cost.
  void serve(std::uint64_t kind, int cost) {
    give_kind(kind);
    start(tasks.size() - 1);
    pass(cost);
    finish(tasks.size() - 1);
  }
};

} // namespace

// Costs are in milliseconds. A worker 0 that runs a task of which r is left,
// with one of cost c behind it that is at home there, has the load r + c: that
// one moves at the cost m if m + c <= r + c - c / 2, so if m <= r - c / 2.

// -- estimates ----------------------------------------------------------------

TEST_CASE("the estimate for a task is the mean of its kind of tasks, otherwise "
          "the mean of all kinds, otherwise the initial estimate") {
  libpool::cost_aware_options options;
  options.initial_estimate = 7ms;
  world w{options};
  CHECK(w.stealing.estimate(1) == 7ms);
  w.serve(1, 4);
  CHECK(w.stealing.estimate(1) == 4ms);
  CHECK(w.stealing.estimate(2) == 4ms);
  w.serve(1, 8);
  CHECK(w.stealing.estimate(1) == 5ms); // 4 + (8 - 4) / 4
  w.serve(2, 11);
  CHECK(w.stealing.estimate(2) == 11ms);
  CHECK(w.stealing.estimate(3) == 8ms); // (5 + 11) / 2
  w.serve(1, 9);
  CHECK(w.stealing.estimate(1) == 6ms); // 5 + (9 - 5) / 4
  CHECK(w.stealing.estimate(3) == duration{8500us});
}

TEST_CASE("a task that crashes its worker, or that its worker gives back, does "
          "not change the estimate of its kind of tasks") {
  world w;
  w.serve(1, 4);
  w.give_kind(1);
  w.start(1);
  w.pass(100);
  w.crash(1);
  CHECK(w.stealing.estimate(1) == 4ms);
  w.at(5000);
  w.give_kind(1);
  w.retire(0);
  w.come_back(2);
  CHECK(w.stealing.estimate(1) == 4ms);
}

TEST_CASE("the cost of a task is its own estimate, otherwise the estimate of "
          "its kind, and at least a nanosecond") {
  for (auto hinted : {false, true})
    for (auto move : {5, 6, 13, 14}) {
      CAPTURE(hinted);
      CAPTURE(move);
      world w;
      w.serve(1, 18);
      if (hinted)
        w.give(0, 10);
      else
        w.give_kind(1); // so it is 18
      w.give(0, 10, move);
      CHECK(w.join() == (move <= (hinted ? 5 : 13) ? "send 2 to 1" : ""));
    }
  world w;
  w.give(0, 0);
  w.give(0, -5, 1);
  CHECK(w.join() == "");
}

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

TEST_CASE("a task is stolen by its move to the idle worker, its worker's load "
          "includes the moves of its tasks, and equal moves always pay") {
  struct row {
    duration there;
    int ahead;
    int cost;
    bool moves;
  };
  for (const auto& each :
       {row{9ms, 10, 10, true},  // 9 + cost <= 10 + cost + 8 - (cost + 8) / 2
        row{9ms, 10, 11, false}, //
        row{8ms, 1, 1000, true}}) { // as close as it is
    CAPTURE(each.cost);
    const std::vector<duration> moves{8ms, each.there};
    world w;
    w.give(0, each.ahead);
    w.give_moves(moves, each.cost);
    CHECK(w.join() == (each.moves ? "send 1 to 1" : ""));
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
  CHECK(w.next_tick() == 10);
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

TEST_CASE("idle workers steal first from the worker with the largest load, and "
          "among equals from the worker that joined first") {
  world w;
  w.join_all(2);
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
      test::stealing_world w;
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

// -- tasks that stay ----------------------------------------------------------

TEST_CASE("a task is stolen only by a permitted worker, and stays if it has a "
          "key") {
  world w;
  w.give(0, 10);
  w.give_only({0, 2}, 0, 10);
  w.give_only({0}, 0, 10);
  auto& keyed = w.add(0, 10);
  keyed.own_notes().key = 1;
  w.submit(keyed);
  CHECK(w.join() == "");
  CHECK(w.join() == "send 1 to 2");
  CHECK(w.join() == "");
  w.finish(0);
  w.finish(2);
  CHECK(w.next_tick() == -1); // there is nothing to wait for
}

TEST_CASE("an idle worker may steal a task even if the task prefers the worker "
          "that has the task") {
  world w;
  w.give(0, 10);
  w.give(0, 10, 0, &w.best_on({0}));
  CHECK(w.join() == "send 1 to 1");
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

} // namespace cost_aware_stealing_tests
