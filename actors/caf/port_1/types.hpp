#pragma once

#include <caf/fwd.hpp>
#include <caf/message.hpp>
#include <caf/scheduler.hpp>

namespace libpool {

/// Execution context of an actor, which CAF passes to `enqueue` with each
/// message; nullptr outside of the scheduler.
using execution_context = caf::scheduler;

/// Elements of a message, with the functions `match_elements<Ts...>()` and
/// `get_as<T>(i)`.
using message_content = caf::message;

} // namespace libpool
