#pragma once

#include "libpool/actors/set_up.hpp"
#include "support/port/message_types.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
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
    return scheduler().jobs;
  }

  /// Runs the first job; returns false if there is none.
  bool step() {
    return scheduler().try_run_once();
  }

  /// Moves the clock on; what comes due is sent.
  void pass(std::chrono::nanoseconds time) {
    scheduler().advance_time(time);
  }

  /// How much the clock has still to send.
  std::size_t alarms() {
    return scheduler().clock().schedule().size();
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

  config config_;
  caf::actor_system system_;
};

} // namespace test
