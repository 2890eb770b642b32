#pragma once

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <chrono>

namespace libpool {

// Rules for the transport of tasks and results between a pool and a node. A
// message batch costs more than a tiny task. So a batch leaves at once if the
// line is idle. While the last batch is on its way, further tasks or results
// collect, until the other end has answered, a batch is full, or a round trip
// has passed. Batches form when there is load, whatever tasks take.
//
// Source: Nagle, RFC 896, with a time in place of an acknowledgement.

/// Time after a batch for which the line counts as busy unless the other end
/// answers: the round-trip time, but at least 50 us and at most 1 ms.
constexpr duration time_of_batch(duration round_trip) noexcept {
  return std::clamp<duration>(round_trip, std::chrono::microseconds{50},
                              std::chrono::milliseconds{1});
}

/// Whether tasks of this mean service time and content size are tiny; zero: not
/// known.
constexpr bool are_tiny(duration service, double bytes) noexcept {
  constexpr duration most_service = std::chrono::microseconds{100};
  constexpr auto most_bytes = 4096.0;
  return service > duration{0} && service <= most_service
         && bytes <= most_bytes;
}

/// Bytes of contents that fill a message batch. Larger contents travel alone.
constexpr std::size_t bytes_of_full_batch = std::size_t{64} << 10U;

/// Whether a content of `more` bytes travels in one message batch with contents
/// of `bytes` bytes.
constexpr bool fits(std::size_t bytes, std::size_t more) noexcept {
  return bytes == 0 || bytes + more <= bytes_of_full_batch;
}

} // namespace libpool
