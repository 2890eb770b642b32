#pragma once

#include "libpool/core/flow.hpp"
#include "libpool/core/order_queue.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/virtual_time.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>

namespace libpool {

/// Queue of fair queuing: its waiting tasks, and the service that its tasks
/// have had. The members that are used at each turn of the queue come first, so
/// that they are on few cache lines.
struct fair_queue : order_queue {
  /// Waiting tasks that can be chosen, the next task first.
  task_set waiting;
  /// Virtual time at which the next task would begin if the pool served all
  /// queues at the same time. If the queue is idle, and the mode is `exact`,
  /// the amount by which this time is ahead of the virtual clock is the debt of
  /// the flow.
  virtual_time next;
  /// Number of the queue's last dispatch, counted over all queues; 0: none yet.
  std::uint64_t last_turn = 0;
  /// Number of held tasks: waiting tasks that no worker can take at present.
  std::uint32_t held = 0;
  /// Number of dispatched tasks that have not ended.
  std::uint32_t running = 0;
  /// Sum of the widths of the waiting tasks, including held tasks.
  std::uint64_t seats_wanted = 0;
  /// Share of the seats, relative to the other queues; default: 1.
  double share = 1;

  /// Width of the first task in `waiting`; 0 if there is none. If the width is
  /// above 1, the queue is in the set of queues with wide heads.
  std::size_t head_width = 0;

  // -- statistics -------------------------------------------------------------

  /// Number of ended runs of tasks.
  std::uint64_t served = 0;
  /// Sum of the service times of all runs that have ended, each multiplied by
  /// the number of seats of the task.
  duration seat_time{0};
  /// Sum of the waiting times of all runs that have ended, from acceptance to
  /// start.
  duration waits{0};

  // -- rarely used ------------------------------------------------------------

  /// Number of refused tasks.
  std::uint64_t refused = 0;

  /// Hook of the set of queues with wide heads, which has few members.
  boost::intrusive::set_member_hook<
    boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
    wide_hook;

  /// Whether the queue has no task, waiting or in flight.
  bool is_idle() const noexcept {
    return waiting.empty() && held == 0 && running == 0;
  }

  /// Returns the number of waiting tasks, including held tasks.
  std::size_t length() const noexcept {
    return waiting.size() + held;
  }

  /// Returns the next task.
  /// @pre a waiting task is not held
  task& head() noexcept {
    return *waiting.begin();
  }

  /// Returns the next task.
  const task& head() const noexcept {
    return *waiting.begin();
  }
};

} // namespace libpool
