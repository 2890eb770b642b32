#pragma once

#include "libpool/core/instant.hpp"

#include <caf/all.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gateway {

/// Answer to a request, from the upstream or of the gateway itself.
struct answer {
  unsigned status = 0;
  std::string type = "text/plain";
  std::string content;
  /// Time after which a refused request should be sent again; unset: unknown.
  std::optional<libpool::duration> retry_after = {};
};

/// Functions that the courier calls, in a thread of the actor system.
struct reports {
  /// Tells the answer to a request with a number.
  std::function<void(std::uint64_t, answer)> answered;
  /// Tells that the pool has ended.
  std::function<void()> drained;
};

/// Actor that sends requests to the pool in the name of the HTTP front, which
/// is not an actor.
///
/// - the message of a worker: sends it to the pool as a request
/// - a number: cancels the request with this number
/// - ('SYS', 'DRAIN'): drains the pool
caf::behavior courier(caf::event_based_actor* self, const caf::actor& pool,
                      const reports& reports);

} // namespace gateway
