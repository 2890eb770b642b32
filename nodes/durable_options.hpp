#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstddef>

namespace libpool {

/// Options of a pool that handles the messages of a durable queue.
struct durable_options {
  /// Maximum number of messages that this program has taken from the queue and
  /// not settled; at least 1. At most as large as the capacity of the pool.
  std::size_t window = 256;
  /// Number of times that a message runs again after the program that had it
  /// was lost; then it fails with `errc::front_lost`. Above 0, handlers must be
  /// idempotent.
  unsigned retries = 0;
  /// Time without a sign of life of the program after which the servers give
  /// its messages to another program, from 1 s to 1 h.
  duration redelivery{std::chrono::seconds{5}};
  /// Minimum time for which results are kept, and for which a message with the
  /// same id does not run again; at least `redelivery`. The servers keep them
  /// for twice this time. The first program that serves the pool decides.
  duration keep_results{std::chrono::minutes{10}};
};

} // namespace libpool
