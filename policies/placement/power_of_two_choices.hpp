#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/placement/random_placement.hpp"

#include <cstdint>
#include <vector>

namespace libpool {

/// Placement that draws two workers at random and chooses the one with fewer
/// tasks in flight. With n workers, the worker with the most tasks has about
/// log log n tasks more than the mean. The distribution is nearly as even as
/// with `least_used`, without the cost of sorting the workers.
///
/// Source:     Mitzenmacher, "The Power of Two Choices in Randomized Load
///             Balancing", 2001.
/// Cost:       O(1).
/// Randomness: two draws per choice, from a seed.
class LIBPOOL_EXPORT power_of_two_choices final : public random_placement {
public:
  /// Makes a placement for a pool without workers. `seed` is the seed of the
  /// random draws.
  explicit power_of_two_choices(std::uint64_t seed) noexcept
    : random_placement(seed) {
    // nop
  }

private:
  worker* pick(const std::vector<worker*>& some, instant now) noexcept override;
};

} // namespace libpool
