#pragma once

#include <caf/fwd.hpp>

namespace libpool {

/// Where a pool is made: in an actor system.
class home {
public:
  home(caf::actor_system& system) noexcept : system_(&system) {
    // nop
  }

  caf::actor_system& system() const noexcept {
    return *system_;
  }

private:
  caf::actor_system* system_;
};

} // namespace libpool
