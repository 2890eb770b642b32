#pragma once

#include <cstdint>

namespace libpool {

/// Counters of a handle that accepts only work for a pool, see
/// `actor_pool::submit_only`.
struct submissions {
  /// Number of messages that were passed on to the pool.
  std::uint64_t passed = 0;
  /// Number of messages that were not passed on to the pool: messages that are
  /// not work, such as exit messages and SYS requests, and messages after the
  /// end of the pool or of the handle.
  std::uint64_t refused = 0;
};

} // namespace libpool
