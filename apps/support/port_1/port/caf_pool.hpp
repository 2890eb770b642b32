#pragma once

#include <caf/actor.hpp>
#include <caf/actor_pool.hpp>
#include <caf/actor_system.hpp>
#include <caf/config.hpp>

#include <cstddef>
#include <utility>

namespace port {

/// Makes a pool of CAF's.
inline caf::actor make_caf_pool(caf::actor_system& system, std::size_t workers,
                                const caf::actor_pool::factory& make,
                                caf::actor_pool::policy how) {
  CAF_PUSH_DEPRECATED_WARNING // as all of its pools are
    return caf::actor_pool::make(system, workers, make, std::move(how));
  CAF_POP_WARNINGS
}

} // namespace port
