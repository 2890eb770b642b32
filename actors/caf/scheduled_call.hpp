#pragma once

#include <caf/fwd.hpp>

#include <functional>

namespace libpool {

/// Has a thread of the scheduler call `what` once all that is to run now has
/// had its turn. What it needs is to be kept alive by `what`.
void call_later(caf::actor_system& system,
                std::function<void(caf::execution_unit*)> what);

} // namespace libpool
