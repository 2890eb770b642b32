#pragma once

#include <caf/fwd.hpp>
#include <caf/monitorable_actor.hpp>

namespace libpool {

/// Whether the actor runs on another node than the system. An actor that has
/// been the sender of a message there is kept by CAF's registry until it ends:
/// one that would live until nobody refers to it has to be ended.
bool is_remote(const caf::actor_control_block& who,
               const caf::actor_system& system);

/// Ends an actor to which nobody refers any more, in its `on_destroy`. If CAF's
/// registry was the last one that did, it is being destroyed, and must not be
/// told: there are other nodes then, and no actor runs in this system.
void end_unreachable(caf::monitorable_actor& actor);

} // namespace libpool
