#pragma once

#include <cstdint>

namespace libpool {

/// How a handler has ended.
enum class ending : std::uint8_t {
  completed,
  crashed,
  /// The worker was taken away from the task; the task is not at fault.
  interrupted,
  /// The node that had the task was lost; the handler may have begun.
  lost,
};

} // namespace libpool
