#pragma once

#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <string>

namespace port {

/// The error in words. CAF 1 has them in the type of the error's code.
inline std::string render(const caf::actor_system&, const caf::error& error) {
  return to_string(error);
}

} // namespace port
