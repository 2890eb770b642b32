#pragma once

#include "libpool/actors/set_up.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <chrono>

namespace port {

/// An actor system in one thread, on a clock that stands still until it is
/// moved.
class crank {
public:
  crank() : system_{config_} {
    // nop
  }

  caf::actor_system& system() {
    return system_;
  }

  /// Lets actors run until none can.
  void run() {
    while (scheduler_.try_run_once()) {
      // one actor has run
    }
  }

  void pass(std::chrono::nanoseconds time) {
    scheduler_.advance_time(time);
  }

private:
  struct config : caf::actor_system_config {
    config() {
      set("scheduler.policy", caf::atom("testing"));
      set("scheduler.max-threads", 2U);
      libpool::set_up(*this);
    }
  };

  config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& scheduler_{
    dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())};
};

} // namespace port
