#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/export.hpp"

#include <caf/fwd.hpp>

namespace libpool {

/// Actor system in which a pool is made. Can be made from an actor system or,
/// as with `caf::actor_pool`, from the execution unit of an actor.
class LIBPOOL_EXPORT home {
public:
  /// Refers to `system`.
  home(caf::actor_system& system) noexcept : system_(&system) {
    // nop
  }

  /// Refers to the actor system of `host`. Throws std::invalid_argument if
  /// `host` is nullptr.
  home(execution_context* host);

  /// Returns the actor system.
  caf::actor_system& system() const noexcept {
    return *system_;
  }

private:
  caf::actor_system* system_;
};

} // namespace libpool
