#pragma once

#include "demand.hpp"

#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/histogram.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tenants {

/// The experience of one tenant.
struct experience {
  demand wanted;
  std::uint64_t answered = 0;
  /// Answered with an error.
  std::uint64_t refused = 0;
  /// Not answered for as long as a client is patient.
  std::uint64_t gave_up = 0;
  /// From sending to the answer, or until the client gave up.
  libpool::histogram times;
};

/// The experiences with one policy, and the stats of its pool halfway.
struct run_result {
  std::string policy;
  std::vector<experience> tenants;
  duration halfway{0};
  libpool::pool_stats seen;
  instant seen_at{};
};

} // namespace tenants
