#pragma once

#include <caf/actor.hpp>
#include <caf/actor_pool.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_execution_unit.hpp>

#include <cstddef>
#include <utility>

namespace port {

/// Makes a pool of CAF's.
inline caf::actor make_caf_pool(caf::actor_system& system, std::size_t workers,
                                const caf::actor_pool::factory& make,
                                caf::actor_pool::policy policy) {
  caf::scoped_execution_unit host{&system};
  return caf::actor_pool::make(&host, workers, make, std::move(policy));
}

} // namespace port
