#pragma once

#include "libpool/actors/stage.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

namespace libpool {

/// An actor that calls a copy of `f` with each message and answers with the
/// result. It outlives exceptions from `f`.
caf::actor spawn_stage_worker(caf::actor_system& system,
                              const detail::item_function& f);

/// An actor that answers each ('SYS', 'PULL') with the next result of a copy of
/// `f`, until that is `end_atom`, or `f` has thrown.
caf::actor spawn_source_worker(caf::actor_system& system,
                               const detail::item_generator& f);

} // namespace libpool
