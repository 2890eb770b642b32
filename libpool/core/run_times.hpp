#pragma once

#include "libpool/core/instant.hpp"

namespace libpool {

/// Times of a message and of its handler.
struct run_times {
  /// Acceptance time of the message.
  instant accepted{};
  /// Start of the handler.
  instant started{};
  /// End of the handler.
  instant ended{};
  /// Deadline of the message; `never`: none.
  instant deadline = never;
};

} // namespace libpool
