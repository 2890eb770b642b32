#pragma once

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <chrono>

namespace libpool {

// How tasks, and their results, travel between a pool and a node: tiny ones
// wait for each other, since a letter costs more than they do.

/// What tasks of a node take, on average; times are zero if they are not known.
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

/// How long a task, or a result, waits for others, at most: as long as it
/// travels, within bounds; not at all unless they are known to be tiny.
constexpr duration time_to_wait(const task_size& of,
                                duration round_trip) noexcept {
  if (!is_tiny(of))
    return duration{0};
  return std::clamp<duration>(round_trip, std::chrono::microseconds{50},
                              std::chrono::milliseconds{1});
}

} // namespace libpool
