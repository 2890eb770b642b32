#pragma once

#include <caf/actor_pool.hpp>

#include <optional>

namespace port {

/// The policy of CAF's pools that joins results, if it has one that compiles.
template <class T, class Join>
std::optional<caf::actor_pool::policy> caf_split_join(Join join) {
  return caf::actor_pool::split_join<T>(join);
}

} // namespace port
