#pragma once

#include <cstdint>

namespace libpool {

/// How the run of a handler ended.
enum class ending : std::uint8_t {
  completed,
  crashed,
  /// The worker was taken away while the handler ran. The task runs again.
  interrupted,
  /// The node that had the task was lost; the handler may have begun.
  lost,
};

} // namespace libpool
