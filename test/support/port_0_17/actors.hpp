#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_pool.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/atom.hpp>
#include <caf/message.hpp>
#include <caf/replies_to.hpp>
#include <caf/result.hpp>
#include <caf/scoped_execution_unit.hpp>
#include <caf/stream_priority.hpp>
#include <caf/stream_slot.hpp>
#include <caf/system_messages.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Of typed actors that take one thing and answer with another one.
template <class Out, class In>
using signature = typename caf::replies_to<In>::template with<Out>;

/// Of typed actors that take one thing and do not answer.
template <class In>
using reaction = caf::reacts_to<In>;

/// What a handler of messages without a handler returns.
using unhandled_result = caf::result<caf::message>;

/// The state of a `caf::stateful_actor`.
template <class Actor>
auto& state_of(Actor& self) {
  return self.state;
}

/// Enters the actor in the registry of its system under a name of at most ten
/// letters, digits and underscores.
inline void enter(caf::actor_system& system, const std::string& name,
                  const caf::actor& actor) {
  system.registry().put(caf::atom_from_string(name), actor);
}

/// Removes a name from the registry.
inline void erase(caf::actor_system& system, const std::string& name) {
  system.registry().erase(caf::atom_from_string(name));
}

/// The place where an actor of the system would run.
class host {
public:
  explicit host(caf::actor_system& system) : unit_(&system) {
    // nop
  }

  operator libpool::execution_context*() {
    return &unit_;
  }

private:
  caf::scoped_execution_unit unit_;
};

/// CAF's own pool.
inline caf::actor pool_of_caf(caf::actor_system& system, std::size_t workers,
                              const caf::actor_pool::factory& factory,
                              caf::actor_pool::policy policy) {
  host here{system};
  return caf::actor_pool::make(here, workers, factory, std::move(policy));
}

/// The actors that CAF composes of others.
inline std::vector<caf::actor> composed_of(const caf::actor& f,
                                           const caf::actor& g) {
  return {f * g};
}

/// The message that opens a stream between actors.
inline caf::open_stream_msg stream_opened_by(const caf::actor& sender) {
  auto self = caf::actor_cast<caf::strong_actor_ptr>(sender);
  return {caf::stream_slot{1}, caf::make_message(), self, self,
          caf::stream_priority::normal};
}

} // namespace test
