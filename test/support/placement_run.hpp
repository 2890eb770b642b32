#pragma once

#include "libpool/policies/catalogue.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// What came of a run: the first law that was broken, if any, and who was sent
/// what, in order.
struct placement_outcome {
  std::string broken;
  std::vector<std::pair<std::size_t, std::size_t>> sends;
  std::size_t completed = 0;
};

/// A pool of that recipe lives through random arrivals, service times, joins,
/// leaves, retirements, restrictions, crashes, deadlines and cancellations, on
/// a clock of its own, and is driven to its end. Equal seeds, equal lives.
placement_outcome run_placement(const libpool::recipe& how, std::uint64_t seed);

} // namespace test
