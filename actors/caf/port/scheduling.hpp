#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <functional>

namespace libpool {

/// Makes a thread of the scheduler run `call` after all actors that are ready
/// now. `call` must keep the objects alive that it uses.
void call_later(caf::actor_system& system,
                std::function<void(execution_context*)> call);

/// Whether the system has a module that can connect to other processes.
bool may_have_other_nodes(const caf::actor_system& system);

/// Returns the number of threads of the scheduler.
std::size_t threads_of(caf::actor_system& system);

} // namespace libpool
