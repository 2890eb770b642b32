#pragma once

#include "libpool/policies/random_placement.hpp"

#include <cstdint>
#include <vector>

namespace libpool {

/// Of two workers drawn at random, the one with fewer tasks in flight. Nearly
/// as even as `least_used`, without an order to keep among workers: the fullest
/// of n has some log log n tasks more than the mean.
///
/// Source:     Mitzenmacher, "The Power of Two Choices in Randomized Load
///             Balancing", 2001.
/// Cost:       O(1).
/// Randomness: two draws per choice, from a seed.
class power_of_two_choices final : public random_placement {
public:
  explicit power_of_two_choices(std::uint64_t seed) noexcept
    : random_placement(seed) {
    // nop
  }

private:
  worker* pick(const std::vector<worker*>& some, instant now) noexcept override;
};

} // namespace libpool
