#pragma once

#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

namespace libpool {

/// Has the clock of a system send an empty message to an actor, unless it is
/// stopped before.
///
/// Threads: any, also that of the clock, which must not ask the clock as others
/// do: they wait while the clock has 64 requests, and it would wait for itself.
class alarm {
public:
  /// In the thread of the clock it may ring earlier for a time that was set
  /// before.
  void set(caf::actor_system& system, instant when, const caf::actor& receiver);

  /// Does nothing in the thread of the clock.
  void stop(caf::actor_system& system, const caf::actor& receiver);

  /// This is the thread of the clock of that system, which has just rung.
  static void rings_here(caf::actor_system& system);
};

} // namespace libpool
