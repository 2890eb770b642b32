#pragma once

#include "libpool/actors/caf/watch.hpp"

#include <caf/actor.hpp>

namespace libpool {

/// Makes an actor that calls `owner.time_is_up` for each message that it gets.
/// Meant for the clock of the system, which keeps its receivers alive: the
/// timer does not keep `owner` alive.
caf::actor make_timer(watcher& owner);

} // namespace libpool
