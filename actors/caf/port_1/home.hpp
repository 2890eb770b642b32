#pragma once

#include "libpool/export.hpp"

#include <caf/fwd.hpp>

namespace libpool {

/// Actor system in which a pool is made.
class LIBPOOL_EXPORT home {
public:
  /// Refers to `system`.
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
