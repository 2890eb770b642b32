#pragma once

#include "libpool/core/instant.hpp"

namespace libpool {

/// When a message was accepted, and when its handler started and ended.
struct run_times {
  /// Time of acceptance.
  instant accepted{};
  /// Start of the handler.
  instant started{};
  /// End of the handler.
  instant ended{};
};

} // namespace libpool
