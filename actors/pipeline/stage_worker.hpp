#pragma once

#include "libpool/actors/stage.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

namespace libpool {

/// An actor that answers each message with what a copy of `f` makes of it. It
/// outlives what that throws.
caf::actor spawn_stage_worker(caf::actor_system& system,
                              const detail::item_function& f);

/// An actor that answers ('SYS', 'PULL') with what a copy of `f` gives, until
/// that is `end_atom`, or it has thrown.
caf::actor spawn_source_worker(caf::actor_system& system,
                               const detail::item_generator& f);

} // namespace libpool
