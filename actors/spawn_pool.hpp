#pragma once

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/factory.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/spawn_plan.hpp"
#include "libpool/export.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace libpool {

/// Returns the number of workers with which a pool with these options begins:
/// `options.workers`; if that is 0, the minimum of `options.autoscale` or,
/// without that, the number of threads of the scheduler.
LIBPOOL_EXPORT std::size_t workers_of(caf::actor_system& system,
                                      const managed_options& options);

/// Makes a pool of workers of the class `Worker`. Each worker is constructed
/// from copies of `xs`:
///
///     spawn_pool<Worker>(system, n, xs...)
///     spawn_pool<Worker>(system, n, options, xs...)
///     spawn_pool<Worker>(system, n, policy, xs...)
///     spawn_pool<Worker>(system, n, options, policy, xs...)
///     spawn_pool<Worker>(system, options, xs...)
///     spawn_pool<Worker>(system, options, policy, xs...)
///
/// Number of workers: `n`, or `workers_of(system, options)` without `n`.
/// Policy: the shared queue by default. `options` are `managed_options`; by
/// default those of the policy. `pool_options` may be given as well. Options
/// and policy come before `xs`, in any order.
///
/// Errors: those of `actor_pool::make`, and std::invalid_argument if
///         `managed_options` are given together with a policy that already has
///         options, or with a policy of direct pools.
template <class Worker, class... Xs>
caf::actor spawn_pool(caf::actor_system& system, const Xs&... xs) {
  return detail::spawn_told<detail::workers_of_class<Worker>>(system, xs...);
}

/// Makes a pool of workers from a function or from a factory. From a function,
/// the actor system spawns each worker, with copies of `xs`. A factory takes no
/// arguments, and returns the handle of a new worker:
///
///     spawn_pool(system, n, factory)
///     spawn_pool(system, n, options, policy, function, xs...)
///
/// The arguments before the function or the factory are those of
/// `spawn_pool<Worker>`. With CAF 1, the function may be
/// `caf::actor_from_state<State>`.
///
/// The function or the factory also makes the workers that replace crashed
/// workers, see `managed_options::restart`. It is then called in the thread
/// that handles the crash. Calls do not overlap, and must not wait for the
/// pool.
template <
  class How, class... Xs,
  class = std::enable_if_t<!std::is_base_of_v<caf::abstract_actor, How>>>
caf::actor spawn_pool(caf::actor_system& system, const How& function,
                      const Xs&... xs) {
  return detail::spawn_told<detail::workers_of_function>(system, function,
                                                         xs...);
}

/// Makes a pool of `n` typed workers with the policy `policy`. The pool has a
/// handle of the same type as the workers, so messages of clients are checked
/// at compile time. `factory` returns a `Handle`, or a handle that converts to
/// `Handle`.
///
/// Errors: those of `actor_pool::make`.
template <class Handle, class Factory>
Handle spawn_typed_pool(caf::actor_system& system, std::size_t n,
                        Factory factory, policy policy,
                        pool_options options = {}) {
  constexpr auto fits = std::is_convertible_v<detail::made_by<Factory>, Handle>;
  static_assert(fits, "libpool: the factory of a typed pool takes no arguments "
                      "and returns the type of handle that the pool has");
  if constexpr (fits)
    return caf::actor_cast<Handle>(
      actor_pool::make(system, n, detail::factory_of(std::move(factory)),
                       std::move(policy), std::move(options)));
  else
    return {};
}

/// Makes a typed pool with the shared queue and `workers_of(system, options)`
/// workers.
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
