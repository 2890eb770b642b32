#pragma once

#include "libpool/core/worker.hpp"

#include <caf/fwd.hpp>
#include <caf/monitorable_actor.hpp>

namespace libpool {

struct room_report;

/// An actor that is told of the end of workers, and of time.
class watcher : public caf::monitorable_actor {
public:
  using caf::monitorable_actor::monitorable_actor;

  /// The worker that was watched under `number` is dead. Runs in the thread
  /// that ended it, or in the one that called `watch` too late.
  virtual void worker_died(worker_number number, const caf::error& reason,
                           caf::execution_unit* host) = 0;

  /// The worker of that number is a pool, and says how much room it has.
  virtual void worker_has_room(worker_number, const room_report&,
                               caf::execution_unit*) {
    // nop
  }

  /// Called by the watcher's timers.
  virtual void time_is_up(caf::execution_unit*) {
    // nop
  }
};

/// Has `by` told, once, when `worker` dies: at once if it has died already. The
/// watch keeps `by` alive no longer than others do, and tells nothing once it
/// is gone.
void watch(caf::abstract_actor& worker, watcher& by, worker_number number);

/// Ends what `watch` with the same arguments began.
void unwatch(caf::abstract_actor& worker, watcher& by, worker_number number);

} // namespace libpool
