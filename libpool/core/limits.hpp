#pragma once

#include <cstddef>
#include <cstdint>

namespace libpool {

/// What happens to a new task if the pool is full: the task is refused, or the
/// oldest task that is not sent is cancelled to make room.
enum class overflow : std::uint8_t { refuse, drop_oldest };

/// What happens to a task that takes more seats than all workers have: the task
/// takes all seats there are, or is refused.
enum class too_wide : std::uint8_t { clamp, refuse };

/// How many tasks a dispatcher accepts, and how often it retries them.
struct limits {
  /// Maximum number of tasks that are accepted and not sent; default:
  /// unlimited. A task that can be sent at once is accepted even if the pool is
  /// full.
  std::size_t capacity = static_cast<std::size_t>(-1);
  /// What happens to a new task if the pool is full.
  overflow on_overflow = overflow::refuse;
  /// Maximum number of retries of a repeatable task after crashes.
  unsigned retries = 0;
  /// Number of crashes after which a task fails, even if it has retries left;
  /// 0: unlimited.
  unsigned poison_after = 0;
  /// What happens to a task that is wider than the pool.
  libpool::too_wide too_wide = too_wide::clamp;
};

} // namespace libpool
