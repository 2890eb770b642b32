#pragma once

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/core/worker.hpp"

#include <caf/fwd.hpp>

namespace libpool {

struct room_report;

/// An actor that is told of the end of workers, and of time.
class watcher : public front_actor {
public:
  using front_actor::front_actor;

  /// The worker that was watched under `number` is dead. Runs in the thread
  /// that ended it, or in the one that called `watch` too late.
  virtual void worker_died(worker_number number, const caf::error& reason,
                           execution_context* host) = 0;

  /// The worker of that number is a pool, and says how much room it has.
  virtual void worker_has_room(worker_number, const room_report&,
                               execution_context*) {
    // nop
  }

  /// Called by the watcher's wakers.
  virtual void time_is_up(execution_context*) {
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
