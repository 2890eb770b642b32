#pragma once

#include "libpool/core/flow.hpp"
#include "libpool/core/order_queue.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/virtual_time.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>

namespace libpool {

/// Tasks that wait for the same turn, and what they have had. The members that
/// a turn needs are in front, so that they are on few cache lines.
struct fair_queue : order_queue {
  /// The next one first.
  task_set waiting;
  /// When its next task would have begun, if the pool served all queues at
  /// once. Has no meaning while the queue is idle.
  virtual_time next;
  /// Counts dispatches of all queues; 0: none yet.
  std::uint64_t last_turn = 0;
  /// Tasks that wait, but not to be chosen now, and tasks that workers have.
  std::uint32_t held = 0;
  std::uint32_t running = 0;
  /// Seats that the tasks that wait want, held ones included.
  std::uint64_t seats_wanted = 0;
  /// Its part of the seats, compared with the others.
  double share = 1;

  /// The width of the head, while the queue is among the queues with wide
  /// heads.
  std::size_t head_width = 0;

  // -- for people -------------------------------------------------------------

  std::uint64_t served = 0;
  duration seat_time{0};
  duration waits{0};

  // -- for what is rare -------------------------------------------------------

  std::uint64_t refused = 0;

  /// Among the queues with wide heads; few have any.
  boost::intrusive::set_member_hook<
    boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
    wide_hook;

  bool is_idle() const noexcept {
    return waiting.empty() && held == 0 && running == 0;
  }

  std::size_t length() const noexcept {
    return waiting.size() + held;
  }

  /// @pre something waits that is not held
  task& head() noexcept {
    return *waiting.begin();
  }

  const task& head() const noexcept {
    return *waiting.begin();
  }
};

} // namespace libpool
