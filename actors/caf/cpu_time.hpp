#pragma once

#include "libpool/core/instant.hpp"

#include <ctime>

namespace libpool {

/// Returns the processor time that the calling thread has used so far.
///
/// Cost: a system call.
inline duration cpu_time_of_thread() noexcept {
  std::timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used); // fails on no Linux
  return std::chrono::seconds{used.tv_sec}
         + std::chrono::nanoseconds{used.tv_nsec};
}

} // namespace libpool
