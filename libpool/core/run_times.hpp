#pragma once

#include "libpool/core/instant.hpp"

namespace libpool {

/// Times of a handler.
struct run_times {
  /// Start of the handler.
  instant started{};
  /// End of the handler.
  instant ended{};
};

} // namespace libpool
