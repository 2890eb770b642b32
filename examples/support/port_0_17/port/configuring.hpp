#pragma once

#include <caf/actor_system_config.hpp>

#include <cstddef>

/// What CAF 0.17 is told before there is a system.
namespace port {

/// Lets the types of an ID block be sent to other nodes.
template <class IdBlock>
void add_message_types(caf::actor_system_config& config) {
  config.add_message_types<IdBlock>();
}

/// So many threads run actors, but for those that have one of their own.
inline void set_threads(caf::actor_system_config& config, std::size_t threads) {
  config.set("scheduler.max-threads", threads);
}

} // namespace port
