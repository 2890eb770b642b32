#pragma once

#include <cstddef>
#include <cstdint>

namespace libpool {

/// What happens to a task that finds the pool full: it is refused, or the
/// oldest one that has not been sent is dropped for it.
enum class overflow : std::uint8_t { refuse, drop_oldest };

/// What happens to a task that takes more seats than all workers have: it takes
/// all seats that there are, or is refused.
enum class too_wide : std::uint8_t { clamp, refuse };

/// How much a dispatcher takes, and how often it tries.
struct limits {
  /// Of tasks that were accepted and not yet sent.
  std::size_t capacity = static_cast<std::size_t>(-1);
  overflow on_overflow = overflow::refuse;
  /// How often a repeatable task runs again after a crash.
  unsigned retries = 0;
  /// Crashes after which a task fails, whatever `retries` says; 0: none.
  unsigned poison_after = 0;
  /// What happens to a task that is wider than the pool.
  libpool::too_wide too_wide = too_wide::clamp;
};

} // namespace libpool
