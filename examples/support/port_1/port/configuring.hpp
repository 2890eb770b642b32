#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/init_global_meta_objects.hpp>

#include <cstddef>

/// What CAF 1 is told before there is a system.
namespace port {

/// Lets the types of an ID block be sent at all: of the whole process, so the
/// configuration has no part in it.
template <class IdBlock>
void add_message_types(caf::actor_system_config&) {
  caf::init_global_meta_objects<IdBlock>();
}

/// So many threads run actors, but for those that have one of their own.
inline void set_threads(caf::actor_system_config& config, std::size_t threads) {
  config.set("caf.scheduler.max-threads", threads);
}

} // namespace port
