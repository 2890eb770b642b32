#pragma once

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <chrono>

namespace libpool {

// Rules for the transport of tasks and results between a pool and a node. Tiny
// tasks wait for each other, since a message batch costs more than a tiny task.

/// Mean service time and content size of a node's tasks; zero if unknown.
struct task_size {
  duration service{0};
  double bytes = 0;
};

constexpr bool is_tiny(const task_size& of) noexcept {
  constexpr duration most_service = std::chrono::microseconds{100};
  constexpr auto most_bytes = 4096.0;
  return of.service > duration{0} && of.service <= most_service
         && of.bytes <= most_bytes;
}

/// Maximum time for which a task or a result waits for others: the round-trip
/// time, but at least 50 us and at most 1 ms; zero unless the tasks are known
/// to be tiny.
constexpr duration time_to_wait(const task_size& of,
                                duration round_trip) noexcept {
  if (!is_tiny(of))
    return duration{0};
  return std::clamp<duration>(round_trip, std::chrono::microseconds{50},
                              std::chrono::milliseconds{1});
}

/// Whether a content of `more` bytes travels in one message batch with contents
/// of `bytes` bytes. Larger contents travel alone.
constexpr bool fits(std::size_t bytes, std::size_t more) noexcept {
  constexpr std::size_t most = std::size_t{64} << 10U;
  return bytes == 0 || bytes + more <= most;
}

} // namespace libpool
