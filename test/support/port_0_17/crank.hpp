#pragma once

#include "libpool/actors/set_up.hpp"
#include "message_types.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <chrono>
#include <cstddef>

namespace test {

/// An actor system whose scheduler and clock do nothing by themselves. It says
/// that it has two threads.
class crank {
public:
  crank() : system_(config_) {
    // nop
  }

  caf::actor_system& system() {
    return system_;
  }

  /// The actors and calls that are ready, the next one first.
  auto& jobs() {
    return scheduler_.jobs;
  }

  /// Runs the first job; returns false if there is none.
  bool step() {
    return scheduler_.try_run_once();
  }

  /// Runs until nothing is left to do.
  void run() {
    while (step()) {
      // step did it
    }
  }

  /// Moves the clock on; what comes due is sent. One entry at a time, because
  /// its receiver may cancel the next one.
  void pass(std::chrono::nanoseconds time) {
    auto& clock = scheduler_.clock();
    clock.current_time += time;
    const auto& due = clock.schedule();
    while (!due.empty() && due.begin()->first <= clock.current_time)
      clock.trigger_timeout();
  }

  /// How much the clock has still to send.
  std::size_t alarms() {
    return scheduler_.clock().schedule().size();
  }

private:
  struct config : caf::actor_system_config {
    config() {
      set("scheduler.policy", caf::atom("testing"));
      set("scheduler.max-threads", 2U); // as it says, wherever it runs
      libpool::set_up(*this);
      for (const auto& add : message_types)
        add(*this);
    }
  };

  config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& scheduler_{
    dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())};
};

} // namespace test
