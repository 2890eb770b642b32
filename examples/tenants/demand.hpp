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

/// The time that a client waits for an answer.
constexpr duration patience = std::chrono::seconds{2};

/// The requests of one tenant.
struct demand {
  std::string tenant;
  /// Keeps so many requests outstanding; 0: sends one every `gap` on average,
  /// without waiting for answers.
  std::size_t outstanding = 0;
  duration gap{0};
  /// How long the service works for a request: between these, drawn uniformly.
  duration shortest{0};
  duration longest{0};
};

/// The demand in a few words.
std::string text_of(const demand& demand);

/// The load that both policies have to cope with.
struct scenario {
  std::size_t workers = 0;
  /// The time for which requests are sent.
  duration length{0};
  std::vector<demand> demands;
  std::uint64_t seed = 0;
};

} // namespace tenants
