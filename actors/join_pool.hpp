#pragma once

#include "libpool/actors/factory.hpp"
#include "libpool/actors/join_options.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"
#include "libpool/nodes/protocol/link_protocol.hpp"
#include "libpool/nodes/protocol/transport.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace libpool {

/// Makes workers of this actor system serve a distributed pool of the same
/// system. Returns the *agent*, the actor that represents these workers as a
/// node of the pool. The agent joins the pool, runs the tasks of the pool in a
/// local managed pool whose workers `factory` makes, and sends back the
/// answers. For a pool of another process, see nodes/join_pool.hpp.
///
/// The lease of the pool (`node_options::lease`) is the time after which the
/// pool gives up a node from which it receives no message. The agent begins no
/// task while it has been out of touch with the pool for more than three
/// quarters of the lease. Running handlers finish, and their results are sent
/// when the pool can be reached again. If the pool has given the node up by
/// then, the results are discarded. The agent tries to join again until the
/// pool accepts it.
///
/// The agent stays alive without references, and the actor system awaits its
/// end, as the end of any actor. On the message ('SYS', 'DRAIN') the agent
/// leaves: the agent returns the tasks that have not begun, finishes the other
/// tasks, waits at most 10 s for the pool to confirm, and ends. A request is
/// answered at that time. An exit message or the end of the actor system ends
/// the agent immediately. The agent ends with an error if the pool rejects the
/// node or has ended. If the local pool ends, the agent leaves, and then ends
/// with an error.
///
/// Errors: std::invalid_argument for the reasons of `check`, if `actor` is not
/// a
///         distributed pool, or if `choose` does not return a policy of managed
///         pools; exceptions from `factory`.
LIBPOOL_EXPORT caf::actor join_pool(caf::actor_system& system,
                                    const caf::actor& actor,
                                    const join_options& options,
                                    const std::function<caf::actor()>& factory);

/// Joins a distributed pool with workers from a factory that returns handles of
/// typed actors.
template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
caf::actor join_pool(caf::actor_system& system, const caf::actor& actor,
                     const join_options& options, F factory) {
  return join_pool(system, actor, options,
                   detail::factory_of(std::move(factory)));
}

/// Joins a distributed pool with workers that are spawned from the function
/// `worker`. Each worker gets a copy of the function and of `xs`.
template <class F, class... Ts, class = std::enable_if_t<detail::is_spawned<F>>>
caf::actor join_pool(caf::actor_system& system, const caf::actor& actor,
                     const join_options& options, F worker, const Ts&... xs) {
  return join_pool(system, actor, options,
                   detail::spawning(system, std::move(worker), xs...));
}

/// Returns the state and the counters of the node that the actor `agent`
/// represents in a distributed pool. Throws std::invalid_argument if `agent`
/// was not returned by `join_pool`.
LIBPOOL_EXPORT agent_state agent_stats(const caf::actor& agent);

namespace detail {

/// Connection of an agent to its pool, clock of the agent, and identity of the
/// agent's program.
struct front_access {
  transport_opener open;
  /// Function that returns the time of a clock that continues while the machine
  /// sleeps; unset: the clock of the system.
  std::function<instant()> now = nullptr;
  /// Number that identifies the current run of the node's program; unset: drawn
  /// at random.
  std::optional<incarnation> run = std::nullopt;
};

LIBPOOL_EXPORT caf::actor join_pool(caf::actor_system& system,
                                    front_access access,
                                    const join_options& options,
                                    const std::function<caf::actor()>& factory);

} // namespace detail

} // namespace libpool
