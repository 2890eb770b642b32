#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <functional>

namespace libpool {

/// Has a thread of the scheduler run `call` after everything that is ready now.
/// `call` keeps alive what it uses.
void call_later(caf::actor_system& system,
                std::function<void(execution_context*)> call);

/// Whether the system was made with a module that can know other nodes.
bool may_have_other_nodes(const caf::actor_system& system);

/// How many threads run actors.
std::size_t threads_of(caf::actor_system& system);

} // namespace libpool
