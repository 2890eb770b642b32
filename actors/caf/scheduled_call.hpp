#pragma once

#include <caf/fwd.hpp>

#include <functional>

namespace libpool {

/// Has a thread of the scheduler run `call` after everything that is ready now.
/// `call` keeps alive what it uses.
void call_later(caf::actor_system& system,
                std::function<void(caf::execution_unit*)> call);

} // namespace libpool
