#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>

#include <cstddef>

/// Configuration of CAF 0.17.
namespace port {

/// Lets the types of an ID block be sent to other nodes.
template <class IdBlock>
void add_message_types(caf::actor_system_config& config) {
  config.add_message_types<IdBlock>();
}

/// Sets the number of threads that run actors. Detached actors have further
/// threads.
inline void set_threads(caf::actor_system_config& config, std::size_t threads) {
  config.set("scheduler.max-threads", threads);
}

/// Has idle threads of the scheduler wait instead of poll. Programs that share
/// a machine with others should do so.
inline void wait_when_idle(caf::actor_system_config& config) {
  config.set("scheduler.policy", caf::atom("sharing"));
}

} // namespace port
