#pragma once

#include "libpool/actors/caf/watch.hpp"

#include <caf/actor.hpp>

namespace libpool {

/// Makes an actor that calls `whose.time_is_up` for each message that it gets.
/// Meant for the clock of the system, which keeps its receivers alive: the
/// timer does not keep `whose` alive.
caf::actor make_timer(watcher& whose);

} // namespace libpool
