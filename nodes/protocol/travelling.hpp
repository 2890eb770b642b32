#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>

namespace libpool {

// Rules for the transport of tasks and results between a pool and a node. A
// message batch costs more than a tiny task. So a batch leaves at once if the
// node has a free slot. While all slots are busy, further tasks or results
// collect, until a batch is full, less than half of the tasks that were sent is
// left at the node, or `longest_wait` has passed since the last batch. Batches
// form when there is load, whatever tasks take.
//
// Source: Nagle, RFC 896; Clark, RFC 813: no small segments in a busy window.

/// Maximum time for which tasks or results wait for others.
constexpr duration longest_wait = std::chrono::milliseconds{1};

/// Time of work that a node has beyond its slots, if contents are small, so
/// that its tasks travel together: 5 ms.
constexpr duration work_ahead = std::chrono::milliseconds{5};

/// Mean number of bytes up to which contents count as small.
constexpr double most_bytes_ahead = 4096;

/// Bytes of contents that fill a message batch. Larger contents travel alone.
constexpr std::size_t bytes_of_full_batch = std::size_t{64} << 10U;

/// Whether a content of `more` bytes travels in one message batch with contents
/// of `bytes` bytes.
constexpr bool fits(std::size_t bytes, std::size_t more) noexcept {
  return bytes == 0 || bytes + more <= bytes_of_full_batch;
}

} // namespace libpool
