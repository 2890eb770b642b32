#pragma once

#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/core/instant.hpp"

#include <cstddef>

namespace libpool {

/// Decides when a worker must leave its thread of the scheduler to other
/// actors.
///
/// CAF runs an actor while its mailbox has messages. A worker that gets its
/// next task as soon as it has ended one would keep its thread, and other
/// workers with tasks would not run. The worker therefore pauses after some
/// time: earlier if other workers wait for a thread, later if only other actors
/// may wait.
///
/// Time: if tasks are not measured, the clock is read after every 64 tasks of a
///       worker.
class thread_sharing {
public:
  /// `threads` is the number of threads of the scheduler.
  explicit thread_sharing(std::size_t threads) noexcept : threads_(threads) {
    // nop
  }

  /// Notes that a worker, one of `workers` serving ones, has ended `tasks`
  /// tasks in `service`. Returns whether the worker must pause.
  bool has_to_pause(managed_worker& worker, std::size_t workers,
                    std::size_t tasks, duration service,
                    const pool_clock& clock) const;

private:
  static duration time_since_look(managed_worker& worker, std::size_t tasks,
                                  const pool_clock& clock);

  std::size_t threads_;
};

} // namespace libpool
