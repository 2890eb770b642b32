#pragma once

#include <cstdint>

namespace libpool {

/// How the run of a handler ended.
enum class ending : std::uint8_t {
  completed,
  crashed,
  /// The worker was ended from outside while the handler ran. The task runs
  /// again, and this does not count as a crash of its handler.
  interrupted,
  /// The handler has answered with an error, and the task is retried.
  to_be_retried,
  /// The node, a program with workers of the pool, was lost while it had the
  /// task. The handler may have begun.
  lost,
};

} // namespace libpool
