#pragma once

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/core/worker.hpp"

#include <caf/fwd.hpp>

namespace libpool {

struct room_report;

/// An actor that is told about the end of workers, about their room, and about
/// time.
class watcher : public front_actor {
public:
  using front_actor::front_actor;

  /// The worker that was watched as `number` has ended. Called in the thread
  /// that ended the worker, or in the thread that called `watch` after its end.
  virtual void worker_died(worker_number number, const caf::error& reason,
                           execution_context* host) = 0;

  /// The worker is a pool, and reports its room.
  virtual void worker_has_room(worker_number, const room_report&,
                               execution_context*) {
    // nop
  }

  /// Called by the watcher's wakers.
  virtual void time_is_up(execution_context*) {
    // nop
  }
};

/// Tells `watcher` once when `worker` ends, or immediately if it has ended
/// already. The watch does not keep `watcher` alive. If `watcher` is gone, the
/// watch does nothing.
void watch(caf::abstract_actor& worker, watcher& watcher, worker_number number);

/// Removes the watch that `watch` set with the same arguments.
void unwatch(caf::abstract_actor& worker, watcher& watcher,
             worker_number number);

} // namespace libpool
