#pragma once

#include "libpool/actors/caf/port/actor_state.hpp"
#include "libpool/actors/signature.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/behavior.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <type_traits>
#include <utility>

/// Adapters for factories of users. A factory makes workers, and may return any
/// type of actor handle.
namespace libpool::detail {

template <class T>
inline constexpr bool is_typed_handle = false;

template <class... Signatures>
inline constexpr bool is_typed_handle<caf::typed_actor<Signatures...>> = true;

/// Whether `T` is a type of actor handles.
template <class T>
constexpr bool is_handle =
  is_typed_handle<
    T> || std::is_convertible_v<T, caf::actor> || std::is_same_v<T, caf::strong_actor_ptr>;

/// Type of the result of `F` when called without arguments; the placeholder
/// `deduced` if `F` takes arguments.
template <class F, bool = std::is_invocable_v<F&>>
struct result_of_calling {
  using type = std::decay_t<std::invoke_result_t<F&>>;
};

template <class F>
struct result_of_calling<F, false> {
  using type = deduced;
};

template <class F>
using made_by = typename result_of_calling<F>::type;

/// Whether `T` is a pointer to an actor.
template <class T>
inline constexpr bool is_self_pointer = false;

template <class T>
inline constexpr bool is_self_pointer<T*> =
  std::is_base_of_v<caf::abstract_actor, T>;

template <class T>
inline constexpr bool is_behavior = std::is_same_v<T, caf::behavior>;

template <class... Signatures>
inline constexpr bool is_behavior<caf::typed_behavior<Signatures...>> = true;

/// Whether an actor system can spawn an actor from `F`: `F` is the function of
/// an actor, or describes an actor by its state class.
template <class F>
constexpr bool is_spawned =
  is_state_of_actor<
    F> || is_self_pointer<parameter_of<F, 0>> || is_behavior<typename signature_of<F>::result>;

using untyped_factory = std::function<caf::actor()>;

/// Whether `F` is treated as a factory whose result is to be converted to a
/// `caf::actor`, for example from the handle of a typed actor.
template <class F>
constexpr bool is_other_factory =
  !std::is_convertible_v<F, untyped_factory> && !is_spawned<F>;

/// Returns a factory of workers: each call spawns `worker` in `system`, with
/// copies of `xs`.
template <class F, class... Ts>
untyped_factory spawning(caf::actor_system& system, F worker, const Ts&... xs) {
  return [&system, worker = std::move(worker), xs...] {
    return caf::actor_cast<caf::actor>(system.spawn(worker, xs...));
  };
}

/// Returns a factory that calls `f` and converts the result to a `caf::actor`.
/// If `f` is not a factory, one static assertion fails and states the
/// requirements.
template <class F>
untyped_factory factory_of(F f) {
  constexpr auto makes_workers = is_handle<made_by<F>>;
  static_assert(makes_workers,
                "libpool: a factory takes no arguments and returns a worker: a "
                "caf::actor or the handle of a typed actor");
  if constexpr (!is_other_factory<F>)
    return f;
  else if constexpr (makes_workers)
    return
      [f = std::move(f)]() mutable { return caf::actor_cast<caf::actor>(f()); };
  else
    return nullptr;
}

/// Converts a handle of any type to a `caf::actor`. If `Handle` is not a handle
/// of an actor, one static assertion fails and states the requirements.
template <class Handle>
caf::actor untyped(const Handle& handle) {
  static_assert(is_handle<Handle>,
                "libpool: the argument must be the handle of an actor: a "
                "caf::actor or the handle of a typed actor");
  if constexpr (is_handle<Handle>)
    return caf::actor_cast<caf::actor>(handle);
  else
    return nullptr;
}

} // namespace libpool::detail
