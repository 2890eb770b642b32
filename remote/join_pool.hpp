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

/// Has workers of this actor system serve the distributed pool behind a gate
/// for agents, and returns the agent of the node; see `join_pool` of
/// libpool/actors/join_pool.hpp. As there, the agent repeats its attempts until
/// the pool accepts the node; the gate may open later.
///
/// Cost:   a thread while the agent connects.
/// Errors: std::invalid_argument if options are out of bounds, if files for TLS
///         are missing or unusable, or if `how` has `insecure_loopback` and
///         `where` is not a numeric loopback address. Whether the pool accepts
///         the node is reported by `agent_stats`, and by the end of the agent.
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
