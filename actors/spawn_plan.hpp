#pragma once

#include "libpool/actors/factory.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/policy.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/export.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

/// Functions that read the arguments of `spawn_pool`.
namespace libpool::detail {

/// Arguments of `spawn_pool` that describe the pool itself: number of workers,
/// options and policy. The other arguments describe how workers are made.
struct spawn_plan {
  /// Number of workers; unset: the number that `workers_of` returns for the
  /// options `managed`.
  std::optional<std::size_t> workers = std::nullopt;
  std::optional<managed_options> managed = std::nullopt;
  /// Policy; unset: the shared queue.
  std::optional<policy> how = std::nullopt;
  pool_options other = {};
};

/// Makes the pool that `plan` describes, with workers from `factory`.
///
/// Errors: those of `spawn_pool`.
LIBPOOL_EXPORT caf::actor spawn(caf::actor_system& system,
                                const spawn_plan& plan,
                                const untyped_factory& factory);

/// Field of a `spawn_plan` that an argument of `spawn_pool` sets. `nothing`:
/// the argument describes how workers are made.
enum class told { nothing, managed_options, policy, pool_options };

template <class T>
constexpr told told_by() {
  if constexpr (std::is_same_v<T, managed_options>)
    return told::managed_options;
  else if constexpr (std::is_same_v<T, pool_options>)
    return told::pool_options;
  else if constexpr (dispatches_somehow<T>)
    return told::policy;
  else
    return told::nothing;
}

inline void tell(spawn_plan& plan, const managed_options& options) {
  plan.managed = options;
}

inline void tell(spawn_plan& plan, const pool_options& options) {
  plan.other = options;
}

template <class F>
void tell(spawn_plan& plan, const F& function) {
  plan.how = policy{function};
}

/// Whether an actor system can spawn an actor from the function `F` with
/// arguments of the types `Xs`.
template <class F, class... Xs>
constexpr bool is_spawned_with() {
  if constexpr (is_state_of_actor<F>)
    return true;
  else if constexpr (is_self_pointer<parameter_of<F, 0>>)
    return std::is_invocable_v<F&, parameter_of<F, 0>, Xs&...>;
  else
    return std::is_invocable_v<F&, Xs&...>;
}

/// Makes factories of workers for `spawn_pool<Worker>`. Each call of a factory
/// spawns an actor of the class `Worker`.
template <class Worker>
struct workers_of_class {
  template <class... Xs>
  static untyped_factory factory(caf::actor_system& system, const Xs&... xs) {
    constexpr auto is_actor = std::is_base_of_v<caf::abstract_actor, Worker>;
    static_assert(is_actor,
                  "libpool: spawn_pool<Worker> requires a class of actors, "
                  "such as a class derived from caf::event_based_actor");
    constexpr auto is_made =
      std::is_constructible_v<Worker, caf::actor_config&, const Xs&...>;
    static_assert(!is_actor || is_made,
                  "libpool: spawn_pool<Worker> constructs each worker from a "
                  "caf::actor_config& and the arguments after options and "
                  "policy: Worker has no such constructor, or is abstract");
    if constexpr (is_actor && is_made)
      return [&system, xs...] {
        return caf::actor_cast<caf::actor>(system.spawn<Worker>(xs...));
      };
    else
      return nullptr;
  }
};

/// Makes factories of workers from a function that was passed to `spawn_pool`.
/// If the function is the function of an actor, the factory spawns such actors.
/// If the function is a factory, the function itself makes the workers.
struct workers_of_function {
  template <class... None>
  static untyped_factory factory(caf::actor_system&) {
    static_assert(sizeof...(None) > 0,
                  "libpool: spawn_pool requires a factory of workers, the "
                  "function of a worker, or its class: spawn_pool<Worker>");
    return nullptr;
  }

  template <class F, class... Xs>
  static untyped_factory factory(caf::actor_system& system, const F& f,
                                 const Xs&... xs) {
    using function = std::decay_t<F>;
    constexpr auto is_function = is_spawned<function>;
    static_assert(is_function || sizeof...(Xs) == 0,
                  "libpool: a factory takes no arguments: pass options and "
                  "policy before it, and nothing after it");
    if constexpr (is_function)
      return of_function(system, function{f}, xs...);
    else if constexpr (sizeof...(Xs) == 0)
      return factory_of(function{f});
    else
      return nullptr;
  }

private:
  template <class F, class... Xs>
  static untyped_factory of_function(caf::actor_system& system, F f,
                                     const Xs&... xs) {
    constexpr auto fits = is_spawned_with<F, std::decay_t<Xs>...>();
    static_assert(fits, "libpool: the function of a worker does not accept the "
                        "arguments after it");
    if constexpr (fits)
      return spawning(system, std::move(f), xs...);
    else
      return nullptr;
  }
};

/// Makes the pool when all options and the policy were read from the arguments
/// of `spawn_pool`. The class `Workers` makes the factory of workers from the
/// remaining arguments.
template <class Workers>
caf::actor spawn_planned(caf::actor_system& system, const spawn_plan& plan) {
  return spawn(system, plan, Workers::factory(system));
}

template <class Workers, class X, class... Xs>
caf::actor spawn_planned(caf::actor_system& system, spawn_plan plan, const X& x,
                         const Xs&... xs) {
  constexpr auto about = told_by<X>();
  constexpr auto is_told = about != told::nothing;
  constexpr auto is_told_once = !is_told || ((told_by<Xs>() != about) && ...);
  static_assert(is_told_once,
                "libpool: spawn_pool accepts managed_options, a policy and "
                "pool_options at most once each; for workers that take such "
                "arguments themselves, pass a factory");
  if constexpr (!is_told)
    return spawn(system, plan, Workers::factory(system, x, xs...));
  else {
    tell(plan, x);
    return spawn_planned<Workers>(system, std::move(plan), xs...);
  }
}

/// Makes a pool from the arguments of `spawn_pool`.
template <class Workers, class X, class... Xs>
caf::actor spawn_told(caf::actor_system& system, const X& x, const Xs&... xs) {
  constexpr auto is_number = std::is_convertible_v<X, std::size_t>;
  constexpr auto is_options = std::is_same_v<X, managed_options>;
  static_assert(is_number || is_options,
                "libpool: spawn_pool requires the number of workers, or "
                "managed_options, after the actor system");
  if constexpr (is_number)
    return spawn_planned<Workers>(
      system, spawn_plan{static_cast<std::size_t>(x)}, xs...);
  else if constexpr (is_options)
    return spawn_planned<Workers>(system, {}, x, xs...);
  else
    return {};
}

} // namespace libpool::detail
