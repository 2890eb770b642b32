#pragma once

#include "libpool/core/flow.hpp"
#include "libpool/core/line_levels.hpp"
#include "libpool/core/order_queue.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/task_line.hpp"
#include "libpool/core/virtual_time.hpp"
#include "libpool/export.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>

namespace libpool {

/// One of the queues of fair queuing: its waiting tasks, and the time that its
/// tasks have used. The members that each turn of the queue needs come first,
/// so that they are on few cache lines.
struct LIBPOOL_EXPORT fair_queue : order_queue, line_level {
  /// Waiting tasks that some worker can take, the next task first.
  task_line waiting;
  /// Virtual time at which the next task would begin if the pool served all
  /// queues at the same time. Virtual time advances by the service that queues
  /// get. In mode `exact`, an idle queue is in debt if `next` is ahead of the
  /// virtual clock: it has had more than its share.
  virtual_time next;
  /// Turn in which a task of the queue last went to a worker. Turns are counted
  /// over all queues, from 1; 0: no task of the queue has gone to a worker yet.
  std::uint64_t last_turn = 0;
  /// Number of held tasks: waiting tasks that no worker can take at present.
  std::uint32_t held = 0;
  /// Number of tasks that have gone to a worker and have not ended.
  std::uint32_t running = 0;
  /// Sum of the widths of the waiting tasks, including held tasks. The width of
  /// a task is the number of seats, places at workers, that it needs.
  std::uint64_t seats_wanted = 0;
  /// Share of the workers' time that the queue gets, relative to the other
  /// queues; default: 1.
  double share = 1;

  /// Number of seats (places at workers) that the first task in `waiting`
  /// needs; 0 if `waiting` is empty. If above 1, the queue is in the set of
  /// `wide_hook`.
  std::size_t head_width = 0;

  // -- statistics -------------------------------------------------------------

  /// Number of tasks that were settled and whose handlers have run.
  std::uint64_t served = 0;
  /// Sum of the running times of all runs of handlers that have ended. The time
  /// of each run is multiplied by the number of seats that its task took.
  duration seat_time{0};
  /// Sum of the waiting times of the served tasks, each from the acceptance of
  /// the task to the start of its last attempt.
  duration waits{0};

  // -- rarely used ------------------------------------------------------------

  /// Number of tasks that the pool has not accepted.
  std::uint64_t refused = 0;

  /// Hook for the set of queues whose first task needs several seats. This set
  /// has few members.
  boost::intrusive::set_member_hook<
    boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
    wide_hook;

  /// Whether the queue has neither waiting nor running tasks.
  bool is_idle() const noexcept {
    return waiting.empty() && held == 0 && running == 0;
  }

  /// Returns the number of waiting tasks, including held tasks, which no worker
  /// can take at present.
  std::size_t length() const noexcept {
    return waiting.size() + held;
  }

  /// Returns the waiting task that goes next.
  /// @pre some waiting task is not held
  task& head() noexcept {
    return waiting.front();
  }

  /// Returns the waiting task that goes next.
  /// @pre some waiting task is not held
  const task& head() const noexcept {
    return waiting.front();
  }
};

} // namespace libpool
