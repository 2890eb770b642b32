#pragma once

#include "libpool/actors/stage_plan.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

namespace libpool {

/// Spawns an actor that calls a copy of `f` with each message and answers with
/// the result. The actor survives exceptions from `f`.
caf::actor spawn_stage_worker(caf::actor_system& system,
                              const detail::item_function& f);

/// Spawns an actor that answers each ('SYS', 'PULL') with the next result of a
/// copy of `f`. After `f` has returned `end_atom` or has thrown, the actor
/// answers each further one with `end_atom`.
caf::actor spawn_source_worker(caf::actor_system& system,
                               const detail::item_generator& f);

} // namespace libpool
