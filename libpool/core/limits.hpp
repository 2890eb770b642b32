#pragma once

#include <cstddef>
#include <cstdint>

namespace libpool {

/// What happens to a new task if the pool is full. `refuse`: the new task is
/// refused. `drop_oldest`: the oldest task that is not sent is cancelled to
/// make room.
enum class overflow : std::uint8_t { refuse, drop_oldest };

/// What happens to a task that takes more seats than all serving workers have.
/// `clamp`: the task takes all seats. `refuse`: the task is refused.
enum class too_wide : std::uint8_t { clamp, refuse };

/// Limits on the tasks that a dispatcher accepts, and on retries.
struct limits {
  /// Maximum number of accepted tasks that are not sent; default: unlimited. A
  /// task that can be sent at once is accepted even if the pool is full.
  std::size_t capacity = static_cast<std::size_t>(-1);
  /// What happens to a new task if the pool is full; default: the task is
  /// refused.
  overflow on_overflow = overflow::refuse;
  /// Maximum number of retries of a repeatable task after crashes or losses of
  /// nodes; default: 0.
  unsigned retries = 0;
  /// Number of crashes after which a task fails, even if it has retries left;
  /// 0, the default: unlimited.
  unsigned poison_after = 0;
  /// What happens to a task that is wider than the pool; default: the task
  /// takes all seats.
  libpool::too_wide too_wide = too_wide::clamp;
};

} // namespace libpool
