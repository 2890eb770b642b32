#pragma once

#include "libpool/actors/caf/port/front_actor.hpp"

#include <caf/fwd.hpp>

namespace libpool {

/// Whether the actor runs on another node. CAF's registry keeps an actor that
/// has sent a message to another node until the actor ends. Such an actor must
/// be ended explicitly: its last reference does not go.
bool is_remote(const caf::actor_control_block& actor,
               const caf::actor_system& system);

/// Ends an actor that is `unreachable`. While CAF's registry is being
/// destroyed, the actor is not reported as ended: the registry held the last
/// reference, and no actor of this system runs any more.
void end_unreachable(front_actor& actor);

} // namespace libpool
