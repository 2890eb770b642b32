#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_pool.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/result.hpp>
#include <caf/scheduler.hpp>
#include <caf/skip.hpp>
#include <caf/system_messages.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Of typed actors that take one thing and answer with another one.
template <class Out, class In>
using signature = caf::result<Out>(In);

/// Of typed actors that take one thing and do not answer.
template <class In>
using reaction = caf::result<void>(In);

/// What a handler of messages without a handler returns.
using unhandled_result = caf::skippable_result;

/// The state of a `caf::stateful_actor`.
template <class Actor>
auto& state_of(Actor& self) {
  return self.state();
}

/// Enters the actor in the registry of its system under a name of at most ten
/// letters, digits and underscores.
inline void enter(caf::actor_system& system, const std::string& name,
                  const caf::actor& actor) {
  system.registry().put(name, actor);
}

/// Removes a name from the registry.
inline void erase(caf::actor_system& system, const std::string& name) {
  system.registry().erase(name);
}

/// The place where an actor of the system would run.
class host {
public:
  explicit host(caf::actor_system& system) : scheduler_(system.scheduler()) {
    // nop
  }

  operator libpool::execution_context*() {
    return &scheduler_;
  }

private:
  caf::scheduler& scheduler_;
};

/// CAF's own pool.
inline caf::actor pool_of_caf(caf::actor_system& system, std::size_t workers,
                              const caf::actor_pool::factory& factory,
                              caf::actor_pool::policy policy) {
  return caf::actor_pool::make(system, workers, factory, std::move(policy));
}

/// The actors that CAF composes of others: there are none.
inline std::vector<caf::actor> composed_of(const caf::actor&,
                                           const caf::actor&) {
  return {};
}

/// The message that opens a stream between actors.
inline caf::stream_open_msg stream_opened_by(const caf::actor& sender) {
  return {1, caf::actor_cast<caf::strong_actor_ptr>(sender), 1};
}

} // namespace test
