#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tenants {

using libpool::duration;
using libpool::instant;

/// Time for which a client waits for an answer.
constexpr duration patience = std::chrono::seconds{2};

/// Requests of one tenant.
struct demand {
  std::string tenant;
  /// Number of requests that are kept outstanding; 0: one request is sent every
  /// `gap` on average, without waiting for answers.
  std::size_t outstanding = 0;
  duration gap{0};
  /// Service time of a request, drawn uniformly between these bounds.
  duration shortest{0};
  duration longest{0};
};

/// Returns the demand as a short text.
std::string text_of(const demand& demand);

/// Load for both policies.
struct scenario {
  std::size_t workers = 0;
  /// Time for which requests are sent.
  duration length{0};
  std::vector<demand> demands;
  std::uint64_t seed = 0;
};

} // namespace tenants
