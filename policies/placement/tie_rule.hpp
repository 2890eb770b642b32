#pragma once

#include "libpool/core/worker.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace libpool {

/// Order of workers that are equally good for a task. The worker with the
/// fewest tasks in flight goes first, then the worker chosen least recently,
/// then the worker that joined first.
struct wins_tie {
  /// Whether `x` goes before `y`, because it has fewer tasks in flight, was
  /// chosen less recently, or joined first.
  bool operator()(const worker& x, const worker& y) const noexcept {
    return std::tie(x.in_flight, x.chosen, x.number)
           < std::tie(y.in_flight, y.chosen, y.number);
  }
};

/// Returns the worker of `some` with the fewest tasks in flight. Among equals,
/// returns the worker chosen least recently, then the one that joined first.
/// @pre !some.empty()
inline worker* winner_of_tie(const std::vector<worker*>& some) noexcept {
  return *std::min_element(
    some.begin(), some.end(),
    [](const worker* x, const worker* y) { return wins_tie{}(*x, *y); });
}

} // namespace libpool
