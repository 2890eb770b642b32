#pragma once

#include "libpool/actors/factory.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/policy.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace libpool {

/// How a node serves a pool.
struct join_options {
  /// So many tasks of the pool run here at once; 0: as many as the local pool
  /// has workers.
  std::size_t slots = 0;
  /// Says that the node may serve, as the pool wants it.
  std::string token = {};
  /// For people.
  std::string name = {};
  /// By which tasks may choose nodes.
  std::vector<std::string> labels = {};
  /// So many results travel together, at most; at least 1.
  std::size_t portion = 64;
  /// So many bytes of results may be under way, as the pool has it; at least
  /// 1 KiB.
  std::size_t credit = std::size_t{1} << 20U;
  /// Of the local pool, which has `slots` workers unless it says otherwise. A
  /// worker is busy until it answers, whatever it says.
  managed_options pool = {};
  /// How the local pool chooses: the policy, of managed pools, with these
  /// options. None: the shared queue.
  std::function<policy(const managed_options&)> choose = nullptr;
};

/// Throws std::invalid_argument naming the option that is out of bounds.
void check(const join_options& options);

/// How it goes with a node.
struct agent_state {
  /// The number of its session, in which it serves; none if it is not in touch
  /// with the pool.
  std::optional<std::uint64_t> session = std::nullopt;
  /// Why it is not in touch: the last thing that went wrong since it was.
  caf::error trouble = {};
  /// Tasks that run, those of older sessions included.
  std::size_t running = 0;
  /// Tasks that are here and have not begun.
  std::size_t waiting = 0;
  /// Tasks that have ended here, however.
  std::uint64_t done = 0;
  /// Letters that counted for nothing: damaged, from strangers, or too late.
  std::uint64_t strays = 0;
};

/// Has workers in this system serve a managed pool elsewhere: `front` is the
/// pool's actor for nodes. Returns the node's *agent*. It joins the pool, has a
/// managed pool of its own, made of the workers of `factory`, run the tasks
/// that it gets, and sends back what they answer.
///
/// The agent begins no task when it is out of touch with the pool for more than
/// three quarters of the pool's lease; what runs then goes on, for nobody. It
/// says hello again until the pool has it back.
///
/// It lives on without a reference to it, and the actor system awaits its end
/// as that of any actor. The message ('SYS', 'DRAIN') has it
/// leave: it gives back what has not begun, and ends when the rest is done and
/// the pool has heard of it, for which it waits for 10 s; a request is answered
/// then. An exit message ends it at once, as does the end
/// of the system. It ends with an error when the pool does not want it, when
/// `front` has ended, and when the local pool ends, after it has left.
///
/// Errors: std::invalid_argument as `check`, and if `choose` returns a policy
///         that is not of managed pools; those of `factory`.
caf::actor join_pool(caf::actor_system& system, const caf::actor& front,
                     const join_options& options,
                     const std::function<caf::actor()>& factory);

/// Joins with a factory that returns handles of typed actors.
template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
caf::actor join_pool(caf::actor_system& system, const caf::actor& front,
                     const join_options& options, F factory) {
  return join_pool(system, front, options,
                   detail::factory_of(std::move(factory)));
}

/// Joins with function-based workers: each one is spawned with a copy of the
/// function and of `xs`.
template <class F, class... Ts, class = std::enable_if_t<detail::is_spawned<F>>>
caf::actor join_pool(caf::actor_system& system, const caf::actor& front,
                     const join_options& options, F worker, const Ts&... xs) {
  return join_pool(system, front, options,
                   detail::spawning(system, std::move(worker), xs...));
}

/// How it goes with the node of that agent; std::invalid_argument if it is
/// none.
agent_state agent_stats(const caf::actor& agent);

namespace detail {

/// The pool's actor for nodes; nobody if there never will be one again, or why
/// it was not found now.
using found_front = std::variant<caf::strong_actor_ptr, caf::error>;

/// Looks for the pool's actor for nodes, and calls its argument with the
/// result: once, in any thread, now or later. Asked again if the actor is not
/// found, or ends.
using front_connector = std::function<void(std::function<void(found_front)>)>;

/// How an agent finds its pool, and knows the time.
struct front_access {
  front_connector connect;
  /// A clock that goes on while the machine sleeps; none: that of the system.
  std::function<instant()> now = nullptr;
  /// Of the pauses between tries; none: drawn.
  std::optional<std::uint64_t> seed = std::nullopt;
};

caf::actor join_pool(caf::actor_system& system, front_access access,
                     const join_options& options,
                     const std::function<caf::actor()>& factory);

} // namespace detail

} // namespace libpool
