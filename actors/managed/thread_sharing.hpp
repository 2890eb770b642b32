#pragma once

#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/core/instant.hpp"

#include <cstddef>

namespace libpool {

/// When a worker has to let others have its thread of the scheduler.
///
/// An actor of CAF runs for as long as something is in its mailbox. A worker
/// that gets its next task the moment it has ended one would never let go of
/// its thread while there are tasks, and other workers, which have been given
/// tasks as well, would never run. So it pauses after a while: sooner where
/// other workers wait for a thread, later where only other actors do.
///
/// Time: where tasks are not measured, the clock is looked at after each 64
///       tasks of a worker.
class thread_sharing {
public:
  /// `threads` is the number of threads of the scheduler.
  explicit thread_sharing(std::size_t threads) noexcept : threads_(threads) {
    // nop
  }

  /// A worker, one of `workers` that serve, has ended a task that took
  /// `service`. Returns whether it is to pause.
  bool has_to_pause(managed_worker& worker, std::size_t workers,
                    duration service, const pool_clock& clock) const;

private:
  static duration time_since_look(managed_worker& worker,
                                  const pool_clock& clock);

  std::size_t threads_;
};

} // namespace libpool
