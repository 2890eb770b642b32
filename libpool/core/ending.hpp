#pragma once

#include <cstdint>

namespace libpool {

/// How the run of a handler ended.
enum class ending : std::uint8_t {
  completed,
  crashed,
  /// The worker was taken away while the handler ran. The task is not blamed,
  /// and runs again.
  interrupted,
  /// The node, a program with workers of the pool, was lost while it had the
  /// task. The handler may have begun.
  lost,
};

} // namespace libpool
