#pragma once

#include <cstdint>

namespace libpool {

/// How a handler has ended.
enum class ending : std::uint8_t {
  completed,
  crashed,
  /// The worker was taken from the task, which is no fault of the task.
  interrupted,
  /// The worker, another node, is lost, and with it what it did: it may have
  /// begun.
  lost,
};

} // namespace libpool
