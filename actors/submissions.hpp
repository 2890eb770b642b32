#pragma once

#include <cstdint>

namespace libpool {

/// What has come to a handle that is for work only, see
/// `actor_pool::submit_only`.
struct submissions {
  /// The messages that went on to the pool.
  std::uint64_t passed = 0;
  /// Those that did not: no work, or too late.
  std::uint64_t refused = 0;
};

} // namespace libpool
