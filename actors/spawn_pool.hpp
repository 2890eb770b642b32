#pragma once

#include "libpool/actors/managed_options.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace libpool {

/// Makes a managed pool with the shared queue: `n` workers of `factory`, which
/// also replaces those that crash, see `managed_options::restart`.
///
/// The factory is called in whatever thread handles a crash, one at a time; it
/// must not wait for the pool.
///
/// Errors: those of `actor_pool::make`.
caf::actor spawn_pool(caf::actor_system& system, std::size_t n,
                      const std::function<caf::actor()>& factory);

/// The same with `options.workers` workers.
caf::actor spawn_pool(caf::actor_system& system, const managed_options& options,
                      const std::function<caf::actor()>& factory);

/// The same of workers of a class, each made from copies of `xs`.
template <class Worker, class... Ts>
caf::actor spawn_pool(caf::actor_system& system, const managed_options& options,
                      const Ts&... xs) {
  return spawn_pool(
    system, options, std::function<caf::actor()>{[&system, xs...] {
      return caf::actor_cast<caf::actor>(system.spawn<Worker>(xs...));
    }});
}

/// The same with `n` workers and all options as they are.
template <class Worker, class... Ts>
caf::actor spawn_pool(caf::actor_system& system, std::size_t n,
                      const Ts&... xs) {
  managed_options options;
  options.workers = n;
  return spawn_pool<Worker>(system, options, xs...);
}

/// Makes a managed pool of typed workers. Its handle is of their type, so that
/// what clients send is checked when they are compiled. `factory` returns a
/// `Handle`.
template <class Handle, class Factory>
Handle spawn_typed_pool(caf::actor_system& system,
                        const managed_options& options, Factory factory) {
  static_assert(std::is_same_v<std::invoke_result_t<Factory&>, Handle>,
                "the factory does not return the handle of the pool");
  auto untyped = [factory = std::move(factory)]() mutable {
    return caf::actor_cast<caf::actor>(factory());
  };
  return caf::actor_cast<Handle>(spawn_pool(
    system, options, std::function<caf::actor()>{std::move(untyped)}));
}

/// The same with `n` workers and all other options as they are.
template <class Handle, class Factory>
Handle spawn_typed_pool(caf::actor_system& system, std::size_t n,
                        Factory factory) {
  managed_options options;
  options.workers = n;
  return spawn_typed_pool<Handle>(system, options, std::move(factory));
}

} // namespace libpool
