#pragma once

#include "libpool/policies/random_placement.hpp"

#include <cstdint>
#include <vector>

namespace libpool {

/// A worker drawn uniformly. Needs to know nothing of them; the fullest of n
/// workers has about log n / log log n tasks more than the mean, where
/// `power_of_two_choices` has log log n.
///
/// Cost:       O(1).
/// Randomness: one draw per choice, from a seed.
class random final : public random_placement {
public:
  explicit random(std::uint64_t seed) noexcept : random_placement(seed) {
    // nop
  }

private:
  worker* pick(const std::vector<worker*>& some, instant now) noexcept override;
};

} // namespace libpool
