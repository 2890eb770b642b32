#pragma once

#include "libpool/actors/caf/port/front_actor.hpp"

#include <caf/fwd.hpp>

namespace libpool {

/// Whether the actor runs on another node than the system. CAF's registry keeps
/// an actor that has sent a message to another node until the actor ends: one
/// that would live until its last reference goes has to be ended.
bool is_remote(const caf::actor_control_block& actor,
               const caf::actor_system& system);

/// Ends an actor without references, when it is `unreachable`. If CAF's
/// registry held the last one, the registry is being destroyed, and must not be
/// told: there are other nodes then, and no actor runs in this system.
void end_unreachable(front_actor& actor);

} // namespace libpool
