#pragma once

#include <cstdint>

namespace libpool {

/// How a handler has ended.
enum class ending : std::uint8_t {
  completed,
  crashed,
  /// The worker was taken from the task, which is no fault of the task.
  interrupted,
};

} // namespace libpool
