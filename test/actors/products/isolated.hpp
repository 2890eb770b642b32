#pragma once

#include "scenario.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace products {

/// The violation of one seed.
struct finding {
  std::uint64_t seed = 0;
  std::vector<std::string> violations;
};

/// Runs the scenario with so many seeds, from `first` on, in a process of its
/// own, so that one that crashes or never ends is a finding like any other.
std::vector<finding> findings_of(const combination& all, std::uint64_t first,
                                 std::uint64_t seeds);

} // namespace products
