#pragma once

#include "support/port/crank.hpp"
#include "support/port/message_types.hpp"

#include <caf/actor_registry.hpp>
#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
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
    : seeded_(seed != 0), generator_(seed), running_at_first_(running()) {
    system().await_actors_before_shutdown(false);
  }

  hand_cranked(const hand_cranked&) = delete;
  hand_cranked& operator=(const hand_cranked&) = delete;

  /// Tests end with this check: no actor may be left running.
  ~hand_cranked() {
    for (auto& action : at_end_)
      action();
    if (!checks_)
      return;
    run();
    CHECK(running() == running_at_first_);
  }

  /// For tests that check by themselves for actors that are left running, or
  /// have the system end while actors run.
  void leave_check_to_test() {
    checks_ = false;
  }

  /// Has `action` called when the test is over.
  void at_end(std::function<void()> action) {
    at_end_.push_back(std::move(action));
  }

  caf::actor_system& system() {
    return crank_.system();
  }

  /// Runs one job; returns false if there is none.
  bool step() {
    auto& jobs = crank_.jobs();
    if (seeded_ && !jobs.empty()) {
      std::uniform_int_distribution<std::size_t> draw{0, jobs.size() - 1};
      auto first = jobs.begin() + static_cast<std::ptrdiff_t>(draw(generator_));
      std::rotate(jobs.begin(), first, jobs.end());
    }
    return crank_.step();
  }

  /// Runs until nothing is left to do.
  void run() {
    while (step()) {
      // step did it
    }
  }

  /// Moves the clock on and runs the events that come due.
  void advance(std::chrono::nanoseconds time) {
    pass(time);
    run();
  }

  /// Moves the clock on, and nothing else: a handler that takes its time.
  void pass(std::chrono::nanoseconds time) {
    crank_.pass(time);
  }

  /// How much the clock has still to send.
  std::size_t alarms() {
    return crank_.alarms();
  }

  /// Ends the actor as its owner would, who has a handle.
  void stop(const caf::actor& actor) {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    run();
  }

  /// How many actors are registered as running.
  std::size_t running() {
    return system().registry().running();
  }

  /// Whether no actor and no message refers to the actor any more.
  static bool is_gone(const caf::actor_addr& address) {
    return caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr;
  }

private:
  bool seeded_;
  bool checks_ = true;
  std::mt19937_64 generator_;
  crank crank_;
  std::size_t running_at_first_;
  std::vector<std::function<void()>> at_end_;
};

} // namespace test
