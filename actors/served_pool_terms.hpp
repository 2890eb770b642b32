#pragma once

#include "libpool/actors/content_function.hpp"
#include "libpool/core/instant.hpp"

#include <caf/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace libpool::detail {

/// Limits for each client of a pool that is served to other programs.
struct client_terms {
  /// Maximum number of messages of one client that are in the pool at the same
  /// time; at least 1.
  std::size_t messages = 1024;
  /// Maximum number of bytes of results that were sent to one client and not
  /// confirmed by the client; at least 1024.
  std::size_t credit = std::size_t{1} << 20U;
  /// Turn of this program, if several programs serve the pool in turn: higher
  /// for later ones; otherwise 0.
  std::uint64_t turn = 0;
};

/// Parameters of a pool that handles the messages of a durable queue.
struct queue_terms {
  /// Number of times that a message whose front was lost runs again.
  unsigned retries = 0;
  /// Whether an error of a handler is a failure, see
  /// `durable_options::is_failure`.
  std::function<bool(const caf::error&)> is_failure = nullptr;
};

/// Parameters of a client that submits messages to a durable queue.
struct submission_terms {
  /// Maximum number of messages that were submitted and not answered.
  std::size_t most_open = 1024;
  /// Time without a queue after which messages that the queue has not stored
  /// fail with `errc::not_connected`.
  duration patience{0};
  /// Returns the id of a message; nullptr: ids are drawn.
  content_function<std::string> id_of = nullptr;
  /// Prefix of drawn ids, which no other run of a program uses.
  std::string run = {};
};

} // namespace libpool::detail
