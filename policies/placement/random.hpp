#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/placement/random_placement.hpp"

#include <cstdint>
#include <vector>

namespace libpool {

/// Placement that draws a worker uniformly, independent of the state of the
/// workers. With n workers, the worker with the most tasks has about log n /
/// log log n tasks more than the mean. With `power_of_two_choices`, this worker
/// has about log log n tasks more.
///
/// Cost:       O(1).
/// Randomness: one draw per choice, from a seed.
class LIBPOOL_EXPORT random final : public random_placement {
public:
  /// Makes a placement for a pool without workers. `seed` is the seed of the
  /// random draws.
  explicit random(std::uint64_t seed) noexcept : random_placement(seed) {
    // nop
  }

private:
  worker* pick(const std::vector<worker*>& some, instant now) noexcept override;
};

} // namespace libpool
