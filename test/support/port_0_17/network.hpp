#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>

namespace test {

/// Lets a system of this configuration know other nodes.
inline void load_network(caf::actor_system_config& config) {
  config.load<caf::io::middleman>();
}

} // namespace test
