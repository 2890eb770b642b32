#pragma once

#include <caf/fwd.hpp>

namespace libpool {

/// Where a pool is made: in an actor system.
class home {
public:
  /// Makes pools in `system`.
  home(caf::actor_system& system) noexcept : system_(&system) {
    // nop
  }

  /// Returns the actor system.
  caf::actor_system& system() const noexcept {
    return *system_;
  }

private:
  caf::actor_system* system_;
};

} // namespace libpool
