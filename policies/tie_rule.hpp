#pragma once

#include "libpool/core/worker.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace libpool {

/// The worker that goes first where workers are equal in all else: the one with
/// the fewest tasks in flight, then the one that was chosen least recently,
/// then the one that joined first.
struct wins_tie {
  bool operator()(const worker& x, const worker& y) const noexcept {
    return std::tie(x.in_flight, x.chosen, x.number)
           < std::tie(y.in_flight, y.chosen, y.number);
  }
};

/// Of workers that are equal in all else, the one that goes first.
/// @pre some are given
inline worker* winner_of_tie(const std::vector<worker*>& some) noexcept {
  return *std::min_element(
    some.begin(), some.end(),
    [](const worker* x, const worker* y) { return wins_tie{}(*x, *y); });
}

} // namespace libpool
