#pragma once

#include <atomic>
#include <cstddef>

namespace libpool {

/// A small number of the calling thread, different for each thread: counted
/// from 0 in the order in which threads first ask. Spreads threads over lanes
/// of memory, so that they do not fight over one cache line.
inline std::size_t thread_number() noexcept {
  static std::atomic<std::size_t> threads{0};
  static thread_local std::size_t mine = 0; // one more than the number
  if (mine == 0)
    mine = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return mine - 1;
}

} // namespace libpool
