#pragma once

#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>
#include <caf/actor_clock.hpp>
#include <caf/disposable.hpp>
#include <caf/fwd.hpp>

namespace libpool {

/// Alarm of an actor: at a given time, the clock of the actor system sends an
/// empty message to the actor, unless the alarm is stopped before.
///
/// Threads: any, including the thread of the clock. Other threads wait while 64
///          requests wait in the queue of the clock. The thread of the clock
///          would wait for itself, so another thread makes its requests.
class alarm {
public:
  /// Sets the time of the alarm. A former alarm for an earlier time may still
  /// ring if this function is called in the thread of the clock.
  void set(caf::actor_system& system, instant when, const caf::actor& receiver);

  void stop(caf::actor_system& system, const caf::actor& receiver);

  /// Records that the calling thread is the thread of `clock`, the clock of
  /// `system`.
  static void rings_here(caf::actor_system& system, caf::actor_clock& clock);

private:
  caf::disposable pending_;
};

/// Returns the clock of the system. A system that ends drops its clock while
/// the clock's thread may still call actors, so that thread does not ask the
/// system.
caf::actor_clock& clock_of(caf::actor_system& system);

} // namespace libpool
