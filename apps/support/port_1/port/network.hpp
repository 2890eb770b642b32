#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/io/all.hpp>

namespace port {

/// Lets the system know others.
inline void load_network(caf::actor_system_config& config) {
  caf::io::middleman::init_global_meta_objects();
  config.load<caf::io::middleman>();
}

} // namespace port
