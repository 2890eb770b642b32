#pragma once

#include "libpool/actors/factory.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/policy.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/nodes/link_protocol.hpp"
#include "libpool/nodes/transport.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool {

/// Options of a node: a program whose workers handle tasks of a distributed
/// pool.
struct join_options {
  /// Maximum number of tasks of the distributed pool that run on the node at
  /// the same time; at most `pool.most_workers`. 0: the number of workers of
  /// the node's local pool.
  std::size_t slots = 0;
  /// Display name of the node. The name is also a label of the node.
  std::string name = {};
  /// Labels of the node. A message that requires labels goes only to nodes that
  /// have these labels.
  std::vector<std::string> labels = {};
  /// Maximum number of results that the node sends to the pool in one piece; at
  /// least 1.
  std::size_t portion = 64;
  /// Maximum number of bytes of results that were sent to the pool and not
  /// confirmed by the pool; at least 1024. Must equal the option
  /// `node_options::credit` of the pool.
  std::size_t credit = std::size_t{1} << 20U;
  /// Options of the local pool, whose workers run the tasks of the distributed
  /// pool. If `pool.workers` is 0, the local pool has `slots` workers. The
  /// option `busy_until` is ignored: a worker is busy until it has answered.
  managed_options pool = {};
  /// Returns the policy of the local pool. The argument has the options that
  /// the policy must use. The policy must be one of managed pools, which keep
  /// messages until a worker has room. Unset: the shared queue.
  std::function<policy(const managed_options&)> choose = nullptr;
};

/// Throws std::invalid_argument if an option is out of bounds; the text names
/// the option.
void check(const join_options& options);

/// State and counters of a node: a program whose workers handle tasks of a
/// distributed pool.
struct agent_state {
  /// Number of the current session, which is the time during which the node
  /// serves the pool; unset if the node does not serve at present.
  std::optional<std::uint64_t> session = std::nullopt;
  /// Reason why the node cannot reach the pool: the last error of the
  /// connection, or an error that states that the pool does not answer. Not set
  /// while the pool answers.
  caf::error trouble = {};
  /// Number of tasks that run on the node, including tasks from earlier
  /// sessions with the pool.
  std::size_t running = 0;
  /// Number of tasks that the node has received and not begun.
  std::size_t waiting = 0;
  /// Number of tasks that have ended on the node, with success or not.
  std::uint64_t done = 0;
  /// Number of message batches that the node discarded, because they were
  /// damaged, came from an unknown sender, or came too late.
  std::uint64_t strays = 0;
};

/// Makes workers of this actor system serve a distributed pool of the same
/// system. Returns the *agent*, the actor that represents these workers as a
/// node of the pool. The agent joins the pool, runs the tasks of the pool in a
/// local managed pool whose workers `factory` makes, and sends back the
/// answers. For a pool of another process, see remote/join_pool.hpp.
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
/// Errors: std::invalid_argument for the reasons of `check`, if `to` is not a
///         distributed pool, or if `choose` does not return a policy of managed
///         pools; exceptions from `factory`.
caf::actor join_pool(caf::actor_system& system, const caf::actor& to,
                     const join_options& options,
                     const std::function<caf::actor()>& factory);

/// Joins a distributed pool with workers from a factory that returns handles of
/// typed actors.
template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
caf::actor join_pool(caf::actor_system& system, const caf::actor& to,
                     const join_options& options, F factory) {
  return join_pool(system, to, options, detail::factory_of(std::move(factory)));
}

/// Joins a distributed pool with workers that are spawned from the function
/// `worker`. Each worker gets a copy of the function and of `xs`.
template <class F, class... Ts, class = std::enable_if_t<detail::is_spawned<F>>>
caf::actor join_pool(caf::actor_system& system, const caf::actor& to,
                     const join_options& options, F worker, const Ts&... xs) {
  return join_pool(system, to, options,
                   detail::spawning(system, std::move(worker), xs...));
}

/// Returns the state and the counters of the node that the actor `agent`
/// represents in a distributed pool. Throws std::invalid_argument if `agent`
/// was not returned by `join_pool`.
agent_state agent_stats(const caf::actor& agent);

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

caf::actor join_pool(caf::actor_system& system, front_access access,
                     const join_options& options,
                     const std::function<caf::actor()>& factory);

} // namespace detail

} // namespace libpool
