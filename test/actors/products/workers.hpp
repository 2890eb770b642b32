#pragma once

#include "scenario.hpp"
#include "support/port/message_types.hpp"
#include "worker_state.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

namespace products {

/// Has a worker answer what it has promised to.
using test::keep_atom;

/// Has a worker look again at what it has skipped.
using test::open_atom;

/// A companion has no handler yet.
caf::actor spawn_worker(caf::actor_system& system, worker_kind kind,
                        const worker_state_ptr& at);

} // namespace products
