#pragma once

#include "support/stealing_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace test {

struct stealing_outcome {
  /// The law that was broken, and what led there; empty if none was.
  std::string broken;
  std::uint64_t steals = 0;
  std::uint64_t completed = 0;
  /// How often the next tick was a doubling.
  std::size_t doublings = 0;
};

/// Has a dispatcher with cost-aware stealing live through the facts, and to its
/// end, and checks after each what holds for all of them.
stealing_outcome run_stealing(const std::vector<stealing_fact>& facts,
                              bool moves_are_dear = false);

} // namespace test
