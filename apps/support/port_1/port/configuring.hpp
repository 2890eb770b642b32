#pragma once

#include <caf/actor.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/init_global_meta_objects.hpp>

#include <cstddef>
#include <string>

/// Configuration of CAF 1.
namespace port {

/// Lets the types of an ID block be sent. This applies to the whole process, so
/// the configuration is not used.
template <class IdBlock>
void add_message_types(caf::actor_system_config&) {
  caf::init_global_meta_objects<IdBlock>();
}

/// Sets the number of threads that run actors. Detached actors have further
/// threads.
inline void set_threads(caf::actor_system_config& config, std::size_t threads) {
  config.set("caf.scheduler.max-threads", threads);
}

/// Has idle threads of the scheduler wait instead of poll. Programs that share
/// a machine with others should do so.
inline void wait_when_idle(caf::actor_system_config& config) {
  config.set("caf.scheduler.policy", "sharing");
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

} // namespace port
