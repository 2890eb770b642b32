#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/fwd.hpp>

namespace libpool {

/// The actor system in which a pool is made, given as such or, as for
/// `caf::actor_pool`, by the execution unit of an actor of that system.
class home {
public:
  /// Makes pools in `system`.
  home(caf::actor_system& system) noexcept : system_(&system) {
    // nop
  }

  /// Throws std::invalid_argument if `host` is nullptr.
  home(execution_context* host);

  /// Returns the actor system.
  caf::actor_system& system() const noexcept {
    return *system_;
  }

private:
  caf::actor_system* system_;
};

} // namespace libpool
