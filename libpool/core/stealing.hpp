#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

namespace libpool {

/// Which task that is bound to a worker, but not sent, moves to which other
/// one? One of the three seams of the dispatcher; a pool does without it unless
/// tasks are bound early.
///
/// Threads: one at a time.
class stealing {
public:
  stealing() = default;
  stealing(const stealing&) = delete;
  stealing& operator=(const stealing&) = delete;
  virtual ~stealing() = default;

  // -- facts ------------------------------------------------------------------

  /// Waits in the deque of `what.on` from now on.
  virtual void assigned(task& what, instant now) noexcept = 0;

  /// Is about to leave that deque.
  virtual void parted(task& what, instant now) noexcept = 0;

  // -- questions --------------------------------------------------------------

  /// An assigned task that is to move to `thief`, which has nothing in flight
  /// and may run it; nullptr if none is worth it.
  virtual task* choose(const worker& thief, instant now) noexcept = 0;
};

} // namespace libpool
