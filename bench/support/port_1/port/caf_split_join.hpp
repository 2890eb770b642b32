#pragma once

#include <caf/actor_pool.hpp>

#include <optional>

namespace port {

/// The policy of CAF's pools that joins results, if it has one that compiles.
/// That of CAF 1.1 wants another guard than its pools have.
template <class T, class Join>
std::optional<caf::actor_pool::policy> caf_split_join(Join) {
  return std::nullopt;
}

} // namespace port
