#include "support/stealing_plan.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using libpool::duration;
using libpool::instant;
using libpool::worker_number;
using test::plan;
using test::stealing_snapshot;
using namespace std::chrono_literals;

// Costs are in nanoseconds; tasks are numbered from 1, workers from 0.

namespace {

struct snapshot : stealing_snapshot {
  /// Workers that have been dry since then, -1: that are not.
  explicit snapshot(const std::vector<int>& idle_since) {
    for (auto since : idle_since) {
      auto& added = workers.emplace_back();
      added.number = worker_number{workers.size() - 1};
      if (since >= 0)
        added.idle_since = instant{duration{since}};
    }
  }

  task& add(std::size_t on, int cost, int move = 0) {
    auto& added = tasks.emplace_back();
    added.number = tasks.size();
    added.on = worker_number{on};
    added.home = added.on;
    added.estimate = duration{cost};
    added.move = duration{move};
    return added;
  }

  task& run(std::size_t on, int cost, int for_ns = 0) {
    auto& added = add(on, cost);
    added.is_sent = true;
    added.has_run = duration{for_ns};
    return added;
  }

  /// The moves, each as a task and its thief: "1 to 0; 2 to 1".
  std::string moves() const {
    std::string result;
    for (const auto& each : plan(*this))
      result += (result.empty() ? "" : "; ") + std::to_string(each.task)
                + " to " + std::to_string(static_cast<std::uint64_t>(each.to));
    return result;
  }
};

} // namespace

TEST_CASE(
  "a stealing plan is empty if no worker is idle or no task can be stolen") {
  CHECK(plan({}).empty());
  CHECK(snapshot{{0, 0}}.moves() == "");
  snapshot single{{-1, 0}};
  single.add(0, 10); // its last
  CHECK(single.moves() == "");
  snapshot busy{{-1, -1}};
  busy.run(0, 10);
  busy.add(0, 10);
  CHECK(busy.moves() == "");
}

TEST_CASE(
  "a stealing plan names the task, the victim and the thief of each steal") {
  snapshot all{{-1, 0}};
  all.run(0, 10);
  all.add(0, 10);
  CHECK(plan(all)
        == std::vector<test::steal>{{2, worker_number{0}, worker_number{1}}});
}

TEST_CASE("a stealing plan compares the cost of moving a task with the "
          "remaining load of the worker that has the task") {
  struct moment {
    int has_run;
    int dearest; // the rest of the load, less 5
  };
  for (auto m : {moment{0, 5}, moment{4, 1}, moment{10, 5}, moment{20, 15},
                 moment{25, 10}})
    for (auto more : {0, 1}) {
      CAPTURE(m.has_run);
      CAPTURE(more);
      snapshot all{{-1, 0}};
      all.run(0, 10, m.has_run);
      all.add(0, 10, m.dearest + more);
      CHECK(all.moves() == (more == 0 ? "2 to 1" : ""));
    }
}

TEST_CASE(
  "a stealing plan uses the cost of moving the task to the idle worker") {
  for (auto there : {8, 9, 10}) {
    CAPTURE(there);
    snapshot all{{-1, 0}};
    all.run(0, 10);
    auto& task = all.add(0, 10);
    task.home.reset();
    task.moves = {8ns, duration{there}};
    // 10 + 10 + 8 - (10 + 8) / 2 = 19
    CHECK(all.moves() == (there < 10 ? "2 to 1" : ""));
  }
  snapshot near{{-1, 0}};
  near.run(0, 1);
  auto& task = near.add(0, 1000, 7);
  task.home = worker_number{1};
  CHECK(near.moves() == "2 to 1");
}

TEST_CASE("in a stealing plan, the worker that has been idle for longest "
          "steals first") {
  snapshot all{{-1, 5, 3, 3}};
  all.run(0, 10);
  for (auto i = 0; i < 4; ++i)
    all.add(0, 10);
  CHECK(all.moves() == "2 to 2; 3 to 3; 4 to 1");
}

TEST_CASE("idle workers steal first from the worker with the largest load, and "
          "among equal loads from the worker that joined first") {
  snapshot all{{-1, -1, -1, 0, 1, 2, 3}};
  for (std::size_t i = 0; i < 3; ++i)
    all.run(i, 10);
  all.add(0, 10);
  all.add(1, 30);
  all.add(2, 30);
  CHECK(all.moves() == "5 to 3; 6 to 4; 4 to 5");
}

TEST_CASE("in a stealing plan, the task with the cheapest move goes first, and "
          "among equals the oldest task") {
  snapshot all{{-1, 0, 1, 2, 3, 4, 5, 6}};
  all.run(0, 100);
  all.add(0, 10, 40);
  all.add(0, 10, 25);
  all.add(0, 10, 20);
  all.add(0, 10, 19);
  all.add(0, 100, 24);
  all.add(0, 10, 0);
  CHECK(all.moves() == "7 to 1; 6 to 2; 5 to 3; 3 to 4; 4 to 5; 2 to 6");
}

TEST_CASE("a stealing plan does not move tasks that have a key, were sent, or "
          "may not run at the idle worker") {
  snapshot all{{-1, 0, 1}};
  all.run(0, 10);
  all.add(0, 10).has_key = true;
  all.add(0, 10).is_sent = true;
  all.add(0, 10).only = {worker_number{0}};
  all.add(0, 10).only = {worker_number{0}, worker_number{2}};
  CHECK(all.moves() == "5 to 2");
}

TEST_CASE("a stealing plan considers the tasks of at most four other workers "
          "for each idle worker") {
  for (auto dear : {3U, 4U}) {
    CAPTURE(dear);
    snapshot all{{0, -1, -1, -1, -1, -1}};
    for (std::size_t i = 1; i <= dear + 1; ++i)
      all.run(i, 10);
    for (std::size_t i = 1; i <= dear; ++i)
      all.add(i, 100, 1000);
    all.add(dear + 1, 10);
    CHECK(all.moves() == (dear == 4 ? "" : "8 to 0"));
  }
}

TEST_CASE("the four workers that a stealing plan considers all have a task "
          "that the idle worker may run") {
  snapshot all{{0, -1, -1, -1, -1, -1, -1}};
  for (std::size_t i = 1; i <= 6; ++i)
    all.run(i, 10);
  for (std::size_t i = 1; i <= 5; ++i)
    all.add(i, 100).only = {worker_number{1}, worker_number{i + 1}};
  all.add(6, 10);
  CHECK(all.moves() == "12 to 0");
}

TEST_CASE("a stealing plan considers at most sixteen tasks of each worker from "
          "which an idle worker may steal") {
  for (auto dear : {15U, 16U}) {
    CAPTURE(dear);
    snapshot all{{-1, 0}};
    all.run(0, 10);
    for (std::size_t i = 0; i < dear; ++i)
      all.add(0, 10, 1000);
    all.add(0, 1, 100); // 100 + 1 <= 10 + 150 + 1 - 1 / 2
    CHECK(all.moves() == (dear == 15 ? "17 to 1" : ""));
  }
}

TEST_CASE("the sixteen tasks that a stealing plan considers are tasks that the "
          "idle worker may run") {
  snapshot all{{-1, 0}};
  all.run(0, 10);
  for (std::size_t i = 0; i < 30; ++i)
    all.add(0, 10).only = {worker_number{0}, worker_number{9}};
  all.add(0, 10);
  CHECK(all.moves() == "32 to 1");
}

TEST_CASE("a task whose move takes the maximum duration causes no arithmetic "
          "overflow in a stealing plan") {
  snapshot all{{-1, 0}};
  all.run(0, 10);
  all.add(0, 10).move = duration::max();
  auto& other = all.add(0, 10);
  other.estimate = other.move = duration::max();
  other.home.reset();
  CHECK(all.moves() == "3 to 1");
}
