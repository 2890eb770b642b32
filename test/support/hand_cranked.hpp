#pragma once

#include "libpool/actors/set_up.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace test {

/// An actor system that runs nothing by itself: the test turns the crank. It
/// says that it has two threads.
///
/// A seed other than 0 draws which job comes next; each seed is one legal
/// interleaving, and the same one every time.
class hand_cranked {
public:
  explicit hand_cranked(std::uint64_t seed = 0)
    : seeded_(seed != 0),
      generator_(seed),
      system_(config_),
      running_at_first_(running()) {
    system_.await_actors_before_shutdown(false);
  }

  hand_cranked(const hand_cranked&) = delete;
  hand_cranked& operator=(const hand_cranked&) = delete;

  /// Tests end with this check: no actor may be left running.
  ~hand_cranked() {
    for (auto& action : at_end_)
      action();
    run();
    if (checks_)
      CHECK(running() == running_at_first_);
  }

  /// For tests that check by themselves for actors that are left running.
  void leave_check_to_test() {
    checks_ = false;
  }

  /// Has `action` called when the test is over.
  void at_end(std::function<void()> action) {
    at_end_.push_back(std::move(action));
  }

  caf::actor_system& system() {
    return system_;
  }

  /// Runs one job; returns false if there is none.
  bool step() {
    auto& jobs = scheduler().jobs;
    if (seeded_ && !jobs.empty()) {
      std::uniform_int_distribution<std::size_t> draw{0, jobs.size() - 1};
      auto first = jobs.begin() + static_cast<std::ptrdiff_t>(draw(generator_));
      std::rotate(jobs.begin(), first, jobs.end());
    }
    return scheduler().try_run_once();
  }

  /// Runs until nothing is left to do.
  void run() {
    while (step()) {
      // step did it
    }
  }

  /// Moves the clock on and runs the events that come due.
  void advance(std::chrono::nanoseconds time) {
    scheduler().advance_time(time);
    run();
  }

  /// Moves the clock on, and nothing else: a handler that takes its time.
  void pass(std::chrono::nanoseconds time) {
    scheduler().advance_time(time);
  }

  /// How many actors are registered as running.
  std::size_t running() {
    return system_.registry().running();
  }

private:
  struct config : caf::actor_system_config {
    config() {
      set("scheduler.policy", caf::atom("testing"));
      set("scheduler.max-threads", 2U); // as it says, wherever it runs
      libpool::set_up(*this);
    }
  };

  caf::scheduler::test_coordinator& scheduler() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  bool seeded_;
  bool checks_ = true;
  std::mt19937_64 generator_;
  config config_;
  caf::actor_system system_;
  std::size_t running_at_first_;
  std::vector<std::function<void()>> at_end_;
};

} // namespace test
