#pragma once

#include "libpool/policies/random_placement.hpp"

#include <cstdint>
#include <vector>

namespace libpool {

/// Placement that draws a worker uniformly, independent of the state of the
/// workers. The fullest of n workers has about log n / log log n tasks more
/// than the mean; with `power_of_two_choices` it has about log log n more.
///
/// Cost:       O(1).
/// Randomness: one draw per choice, from a seed.
class random final : public random_placement {
public:
  /// Makes the placement of a pool without workers.
  explicit random(std::uint64_t seed) noexcept : random_placement(seed) {
    // nop
  }

private:
  worker* pick(const std::vector<worker*>& some, instant now) noexcept override;
};

} // namespace libpool
