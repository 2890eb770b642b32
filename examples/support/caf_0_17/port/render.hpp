#pragma once

#include <caf/actor_system.hpp>
#include <caf/error.hpp>

#include <string>

namespace port {

/// The error in words. CAF 0.17 has those of `libpool::set_up` in the system.
inline std::string render(const caf::actor_system& system,
                          const caf::error& error) {
  return system.render(error);
}

} // namespace port
