#pragma once

#include "scenario.hpp"
#include "worker_state.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/atom.hpp>

namespace products {

/// Has a worker answer what it has promised to.
using keep_atom = caf::atom_constant<caf::atom("keep")>;

/// Has a worker look again at what it has skipped.
using open_atom = caf::atom_constant<caf::atom("open")>;

/// A companion has no handler yet.
caf::actor spawn_worker(caf::actor_system& system, worker_kind kind,
                        const worker_state_ptr& at);

} // namespace products
