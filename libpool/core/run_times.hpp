#pragma once

#include "libpool/core/instant.hpp"

namespace libpool {

/// Times at which a message was accepted and its handler started and ended.
struct run_times {
  /// Acceptance time of the message.
  instant accepted{};
  /// Start of the handler.
  instant started{};
  /// End of the handler.
  instant ended{};
};

} // namespace libpool
