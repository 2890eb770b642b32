#pragma once

#include <cstdint>

namespace libpool {

/// Counters of a handle made by `actor_pool::submit_only`.
struct submissions {
  /// Messages passed on to the pool.
  std::uint64_t passed = 0;
  /// Messages rejected: not work, or sent after the end of the pool or of the
  /// handle.
  std::uint64_t refused = 0;
};

} // namespace libpool
