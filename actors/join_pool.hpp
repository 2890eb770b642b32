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

/// Options of a node that serves a distributed pool.
struct join_options {
  /// Maximum number of the pool's tasks that run on the node at the same time;
  /// at most `pool.most_workers`; 0: the number of workers of the local pool.
  std::size_t slots = 0;
  /// Display name of the node. The name is also a label of the node.
  std::string name = {};
  /// Labels of the node, which tasks can require.
  std::vector<std::string> labels = {};
  /// Maximum number of results in one message batch to the pool; at least 1.
  std::size_t portion = 64;
  /// Maximum bytes of results in flight to the pool; at least 1 KiB. Must be
  /// the same as `node_options::credit` of the pool.
  std::size_t credit = std::size_t{1} << 20U;
  /// Options of the local pool, which has `slots` workers unless `workers` is
  /// set. Workers are busy until they answer: `busy_until` is ignored.
  managed_options pool = {};
  /// Returns the policy of the local pool, for the given options. The policy
  /// must be one of managed pools. Unset: the shared queue.
  std::function<policy(const managed_options&)> choose = nullptr;
};

/// Throws std::invalid_argument if an option is out of bounds; the text names
/// the option.
void check(const join_options& options);

/// The state and the counters of a node.
struct agent_state {
  /// Number of the current session with the pool; unset if the node has no
  /// session.
  std::optional<std::uint64_t> session = std::nullopt;
  /// Reason why the pool cannot be reached: the last error of the line, or an
  /// error that states that the pool does not answer. Not set while the pool
  /// answers.
  caf::error trouble = {};
  /// Number of running tasks, including tasks of older sessions.
  std::size_t running = 0;
  /// Number of tasks that the node has and has not begun.
  std::size_t waiting = 0;
  /// Number of tasks that have ended on the node, with any outcome.
  std::uint64_t done = 0;
  /// Number of discarded message batches: damaged, from unknown senders, or
  /// received too late.
  std::uint64_t strays = 0;
};

/// Makes workers of this actor system serve a distributed pool of the same
/// system. Returns the node's *agent*. The agent joins the pool, runs the tasks
/// of the pool in a local managed pool whose workers `factory` makes, and sends
/// back the answers. For a pool of another process, see remote/join_pool.hpp.
///
/// The agent begins no task while it has been out of touch with the pool for
/// more than three quarters of the pool's lease. Running handlers finish, and
/// their results are sent when the pool can be reached again. If the pool has
/// given the node up by then, the results are discarded. The agent tries to
/// join again until the pool accepts it.
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

/// Joins a distributed pool with function-based workers. Each worker is spawned
/// with a copy of the function and of `xs`.
template <class F, class... Ts, class = std::enable_if_t<detail::is_spawned<F>>>
caf::actor join_pool(caf::actor_system& system, const caf::actor& to,
                     const join_options& options, F worker, const Ts&... xs) {
  return join_pool(system, to, options,
                   detail::spawning(system, std::move(worker), xs...));
}

/// Returns the state of the node of `agent`. Throws std::invalid_argument if
/// `agent` is not the agent of a node.
agent_state agent_stats(const caf::actor& agent);

namespace detail {

/// Functions by which an agent reaches its pool and reads the time, and the
/// identity of the agent's program.
struct front_access {
  transport_opener open;
  /// Returns the time of a clock that continues while the machine sleeps;
  /// unset: the clock of the system.
  std::function<instant()> now = nullptr;
  /// Identity of this run of the node's program; unset: drawn at random.
  std::optional<incarnation> run = std::nullopt;
};

caf::actor join_pool(caf::actor_system& system, front_access access,
                     const join_options& options,
                     const std::function<caf::actor()>& factory);

} // namespace detail

} // namespace libpool
