#pragma once

#include <caf/fwd.hpp>
#include <caf/message.hpp>
#include <caf/scheduler.hpp>

namespace libpool {

/// Execution context of an actor, which CAF passes along with each message that
/// is sent; nullptr outside of the scheduler.
using execution_context = caf::scheduler;

/// Elements of a message: `match_elements<Ts...>()`, `get_as<T>(i)`.
using message_content = caf::message;

} // namespace libpool
