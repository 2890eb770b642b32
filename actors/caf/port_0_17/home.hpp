#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/fwd.hpp>

namespace libpool {

/// Where a pool is made: in an actor system, or, as `caf::actor_pool` has it,
/// where an actor of that system runs.
class home {
public:
  home(caf::actor_system& system) noexcept : system_(&system) {
    // nop
  }

  /// Throws std::invalid_argument if it is nullptr.
  home(execution_context* host);

  caf::actor_system& system() const noexcept {
    return *system_;
  }

private:
  caf::actor_system* system_;
};

} // namespace libpool
