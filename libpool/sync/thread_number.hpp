#pragma once

#include "libpool/export.hpp"

#include <atomic>
#include <cstddef>

namespace libpool {

/// Returns the number of the calling thread, which no other thread ever has.
/// Threads are counted from 0, in the order of their first calls. The number
/// can identify a thread, or distribute threads over several cache lines.
LIBPOOL_EXPORT inline std::size_t thread_number() noexcept {
  static std::atomic<std::size_t> threads{0};
  static thread_local std::size_t mine = 0; // the number plus 1; 0: none yet
  if (mine == 0)
    mine = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return mine - 1;
}

} // namespace libpool
