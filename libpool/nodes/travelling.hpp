#pragma once

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <chrono>

namespace libpool {

// How tasks, and their results, travel between a pool and a node: those of short
// handlers wait for each other, since a letter costs more than they do.

/// Below that, a handler is shorter than a letter is worth.
constexpr duration short_service = std::chrono::microseconds{100};

constexpr bool is_short(duration service) noexcept {
  return service > duration{0} && service <= short_service;
}

/// How long one of them waits for others, at most: as long as it travels, within
/// bounds; not at all if its handler is not known to be short.
constexpr duration time_to_wait(duration service,
                                duration round_trip) noexcept {
  if (!is_short(service))
    return duration{0};
  return std::clamp<duration>(round_trip, std::chrono::microseconds{50},
                              std::chrono::milliseconds{1});
}

} // namespace libpool
