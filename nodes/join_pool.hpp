#pragma once

#include "libpool/actors/join_pool.hpp"
#include "libpool/export.hpp"
#include "libpool/nodes/pool_address.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace libpool {

/// Makes workers of this actor system serve the distributed pool at `where`.
/// Returns the node's agent, as `join_pool` of actors/join_pool.hpp does.
///
/// The name of the node at the servers is `join_options::name`; if empty, the
/// name of the host. The servers must permit the user of the node's certificate
/// to use this name. If the pool or all servers cannot be reached, or have not
/// started yet, the agent tries again until it succeeds. Meanwhile,
/// `agent_stats` returns the reason.
///
/// Errors: as `join_pool` of actors/join_pool.hpp; std::invalid_argument as
///         `check` of the options. The agent ends with `errc::not_connected` if
///         the certificate cannot be used.
LIBPOOL_EXPORT caf::actor join_pool(caf::actor_system& system,
                                    const pool_address& where,
                                    const join_options& options,
                                    const std::function<caf::actor()>& factory);

/// Joins with a factory that returns handles of typed actors.
template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
caf::actor join_pool(caf::actor_system& system, const pool_address& where,
                     const join_options& options, F factory) {
  return join_pool(system, where, options,
                   detail::factory_of(std::move(factory)));
}

/// Joins with function-based workers. Each worker is spawned with a copy of the
/// function and of `xs`.
template <class F, class... Ts, class = std::enable_if_t<detail::is_spawned<F>>>
caf::actor join_pool(caf::actor_system& system, const pool_address& where,
                     const join_options& options, F worker, const Ts&... xs) {
  return join_pool(system, where, options,
                   detail::spawning(system, std::move(worker), xs...));
}

} // namespace libpool
