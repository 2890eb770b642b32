#pragma once

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/factory.hpp"
#include "libpool/actors/managed_options.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace libpool {

/// How many workers the pool gets: `options.workers`, or one per thread of the
/// scheduler.
std::size_t workers_of(caf::actor_system& system,
                       const managed_options& options);

/// Makes a managed pool with the shared queue: `n` workers of `factory`, which
/// also replaces workers that crash, see `managed_options::restart`.
///
/// The factory is called in the thread that handles a crash, one at a time; it
/// must not wait for the pool.
///
/// Errors: those of `actor_pool::make`.
caf::actor spawn_pool(caf::actor_system& system, std::size_t n,
                      const std::function<caf::actor()>& factory);

/// Makes a managed pool with the shared queue and `options.workers` workers.
caf::actor spawn_pool(caf::actor_system& system, const managed_options& options,
                      const std::function<caf::actor()>& factory);

/// Makes a managed pool by a factory that returns handles of typed actors.
template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
caf::actor spawn_pool(caf::actor_system& system, std::size_t n, F factory) {
  return spawn_pool(system, n, detail::factory_of(std::move(factory)));
}

template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
caf::actor spawn_pool(caf::actor_system& system, const managed_options& options,
                      F factory) {
  return spawn_pool(system, options, detail::factory_of(std::move(factory)));
}

/// Makes a managed pool of function-based workers: each one is spawned with a
/// copy of the function and of `xs`. With CAF 1, `worker` may as well be
/// `caf::actor_from_state<State>`.
template <class F, class... Ts, class = std::enable_if_t<detail::is_spawned<F>>>
caf::actor spawn_pool(caf::actor_system& system, const managed_options& options,
                      F worker, const Ts&... xs) {
  return spawn_pool(system, options,
                    detail::spawning(system, std::move(worker), xs...));
}

/// Makes a managed pool of `n` such workers, with default options.
template <class F, class... Ts, class = std::enable_if_t<detail::is_spawned<F>>>
caf::actor spawn_pool(caf::actor_system& system, std::size_t n, F worker,
                      const Ts&... xs) {
  return spawn_pool(system, n,
                    detail::spawning(system, std::move(worker), xs...));
}

/// Makes a managed pool of workers of a class, each made from copies of `xs`.
template <class Worker, class... Ts>
caf::actor spawn_pool(caf::actor_system& system, const managed_options& options,
                      const Ts&... xs) {
  constexpr auto is_actor = std::is_base_of_v<caf::abstract_actor, Worker>;
  static_assert(is_actor,
                "libpool: spawn_pool<Worker> wants a class of actors, such as "
                "one derived from caf::event_based_actor");
  if constexpr (is_actor)
    return spawn_pool(
      system, options, std::function<caf::actor()>{[&system, xs...] {
        return caf::actor_cast<caf::actor>(system.spawn<Worker>(xs...));
      }});
  else
    return {};
}

/// Makes a managed pool of `n` workers of a class, with default options.
template <class Worker, class... Ts>
caf::actor spawn_pool(caf::actor_system& system, std::size_t n,
                      const Ts&... xs) {
  managed_options options;
  options.workers = n;
  return spawn_pool<Worker>(system, options, xs...);
}

/// Makes a pool of `n` typed workers under the policy. Its handle is of their
/// type, so that what clients send is checked when they are compiled. `factory`
/// returns a `Handle`, or a handle that can be one.
///
/// Errors: those of `actor_pool::make`.
template <class Handle, class Factory>
Handle spawn_typed_pool(caf::actor_system& system, std::size_t n,
                        Factory factory, policy how,
                        pool_options options = {}) {
  constexpr auto fits = std::is_convertible_v<detail::made_by<Factory>, Handle>;
  static_assert(fits, "libpool: the factory of a typed pool takes nothing and "
                      "returns the handle that the pool has");
  if constexpr (fits)
    return caf::actor_cast<Handle>(
      actor_pool::make(system, n, detail::factory_of(std::move(factory)),
                       std::move(how), std::move(options)));
  else
    return {};
}

/// Makes a typed pool with the shared queue and `options.workers` workers.
template <class Handle, class Factory>
Handle spawn_typed_pool(caf::actor_system& system,
                        const managed_options& options, Factory factory) {
  return spawn_typed_pool<Handle>(system, workers_of(system, options),
                                  std::move(factory),
                                  actor_pool::shared_queue(options));
}

/// Makes a typed pool of `n` workers with the shared queue and default options.
template <class Handle, class Factory>
Handle spawn_typed_pool(caf::actor_system& system, std::size_t n,
                        Factory factory) {
  return spawn_typed_pool<Handle>(system, n, std::move(factory),
                                  actor_pool::shared_queue());
}

} // namespace libpool
