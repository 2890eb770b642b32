#pragma once

#include "libpool/core/instant.hpp"

#include <caf/error.hpp>

#include <chrono>
#include <cstddef>
#include <functional>

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
  /// Time for which messages that have failed for good are kept, at least
  /// `keep_results`; 0: they are not kept. The first program that serves the
  /// pool decides.
  duration keep_failed{std::chrono::hours{7 * 24}};
  /// Returns whether a message to which a handler answers with the error has
  /// failed for good. Called for errors other than those of libpool, in one
  /// thread at a time. If the function throws, the message has failed. Unset:
  /// such an error is a result, and the message has not failed.
  std::function<bool(const caf::error&)> is_failure = nullptr;
};

} // namespace libpool
