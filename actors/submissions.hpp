#pragma once

#include <cstdint>

namespace libpool {

/// Counters of a handle made by `actor_pool::submit_only`.
struct submissions {
  /// Number of messages that were passed on to the pool.
  std::uint64_t passed = 0;
  /// Number of messages that were rejected, because they were not work, or were
  /// sent after the end of the pool or of the handle.
  std::uint64_t refused = 0;
};

} // namespace libpool
