#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

namespace libpool {

/// Which worker gets a task? One of the three seams of the dispatcher, which
/// offers those that can take one: all that serve where tasks are bound at
/// once, those with room in their windows where they are bound late.
///
/// Threads: one at a time.
class placement {
public:
  placement() = default;
  placement(const placement&) = delete;
  placement& operator=(const placement&) = delete;
  virtual ~placement() = default;

  // -- facts ------------------------------------------------------------------

  /// May be chosen from now on.
  virtual void offered(worker& who, instant now) noexcept = 0;

  /// May not be chosen for now, or ever again.
  virtual void withdrawn(worker& who, instant now) noexcept = 0;

  /// Was given the task, which counts as in flight on it by now; it may have
  /// been withdrawn for that already.
  virtual void assigned(worker& who, const task& what,
                        instant now) noexcept = 0;

  /// Has the task no more, ended or not.
  virtual void parted(worker& who, const task& what, instant now) noexcept = 0;

  // -- questions --------------------------------------------------------------

  /// One of those that are offered; nullptr if none suits the task. Asked
  /// again before a fact has come, it gives the same answer.
  virtual worker* choose(const task& what, instant now) noexcept = 0;
};

} // namespace libpool
