#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"

#include <cstdint>

namespace libpool {

/// Which waiting task goes next? One of the three seams of the dispatcher.
///
/// Threads: one at a time.
class order {
public:
  order() = default;
  order(const order&) = delete;
  order& operator=(const order&) = delete;
  virtual ~order() = default;

  // -- facts ------------------------------------------------------------------

  /// Waits from now on. One that waited before, and has come back, has kept its
  /// number and goes where that belongs.
  virtual void added(task& what, instant now) noexcept = 0;

  /// Waits no more: it goes to a worker, or was cancelled.
  virtual void removed(task& what, instant now) noexcept = 0;

  // -- questions --------------------------------------------------------------

  /// The rank of a task that has been accepted just now, asked once. Workers
  /// get what is bound to them by rank, too.
  virtual std::int64_t rank(const task& what) const noexcept {
    return what.urgent ? 1 : 0;
  }

  /// Whether tasks go in the order in which they come, urgent ones aside;
  /// always the same answer, like the next one.
  virtual bool is_by_arrival() const noexcept {
    return false;
  }

  /// Whether it goes by the time, so that somebody has to look at a clock.
  virtual bool is_timed() const noexcept {
    return false;
  }

  /// The next task, which keeps waiting; nullptr if none waits.
  virtual task* choose(instant now) noexcept = 0;
};

} // namespace libpool
