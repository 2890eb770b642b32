#pragma once

#include "libpool/actors/factory.hpp"
#include "libpool/actors/join_pool.hpp"
#include "libpool/remote/connect.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace libpool {

/// Has workers in this system serve the distributed pool behind a gate for
/// agents, see `join_pool` of libpool/actors/join_pool.hpp: there as here, the
/// agent says hello again until the pool has it, also before the gate opens
/// for the first time.
///
/// Cost:   a thread while it connects.
/// Errors: std::invalid_argument for options out of bounds, and for `how` if
///         the system lacks what it takes to connect so: files for TLS, or a
///         loopback address. Whether the pool takes the node is told by
///         `agent_stats`, and by the end of the agent.
caf::actor join_pool(caf::actor_system& system, const gate_address& where,
                     const join_options& options,
                     const std::function<caf::actor()>& factory,
                     const connect_options& how = {});

/// Joins with a factory that returns handles of typed actors.
template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
caf::actor join_pool(caf::actor_system& system, const gate_address& where,
                     const join_options& options, F factory,
                     const connect_options& how = {}) {
  return join_pool(system, where, options,
                   detail::factory_of(std::move(factory)), how);
}

/// Joins with function-based workers.
template <class F, class = std::enable_if_t<detail::is_spawned<F>>,
          class = void>
caf::actor join_pool(caf::actor_system& system, const gate_address& where,
                     const join_options& options, F worker,
                     const connect_options& how = {}) {
  return join_pool(system, where, options,
                   detail::spawning(system, std::move(worker)), how);
}

} // namespace libpool
