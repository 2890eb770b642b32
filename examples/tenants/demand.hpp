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

/// For how long a client waits for an answer.
constexpr duration patience = std::chrono::seconds{2};

/// What one tenant wants of the service.
struct demand {
  std::string tenant;
  /// Keeps so many requests outstanding; 0: sends one every `gap` on average,
  /// whatever becomes of those before.
  std::size_t outstanding = 0;
  duration gap{0};
  /// How long the service works for a request: between these, drawn uniformly.
  duration shortest{0};
  duration longest{0};
};

/// The same in a few words.
std::string text_of(const demand& what);

/// What both policies have to cope with.
struct scenario {
  std::size_t workers = 0;
  /// For how long requests are sent.
  duration length{0};
  std::vector<demand> demands;
  std::uint64_t seed = 0;
};

} // namespace tenants
