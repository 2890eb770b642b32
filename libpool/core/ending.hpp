#pragma once

#include <cstdint>

namespace libpool {

/// How a handler has ended.
enum class ending : std::uint8_t {
  completed,
  crashed,
  /// Its worker was taken from it, which is no fault of the task.
  interrupted,
};

} // namespace libpool
