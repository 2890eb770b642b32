#pragma once

#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>
#include <caf/disposable.hpp>
#include <caf/fwd.hpp>

namespace libpool {

/// Makes the clock of a system send an empty message to an actor, unless the
/// alarm is stopped before.
///
/// Threads: any, including the thread of the clock. Other threads wait while
///          the clock has 64 requests; the thread of the clock would wait for
///          itself, so its requests take another way.
class alarm {
public:
  /// Sets the time. If the thread of the clock calls this, an alarm for an
  /// earlier time that was set before may still ring.
  void set(caf::actor_system& system, instant when, const caf::actor& receiver);

  void stop(caf::actor_system& system, const caf::actor& receiver);

  /// Notes that the calling thread is the thread of the system's clock.
  static void rings_here(caf::actor_system& system);

private:
  caf::disposable pending_;
};

} // namespace libpool
