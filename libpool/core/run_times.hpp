#pragma once

#include "libpool/core/instant.hpp"

namespace libpool {

/// When a message was accepted, and when its handler started and ended.
struct run_times {
  instant accepted{};
  instant started{};
  instant ended{};
};

} // namespace libpool
