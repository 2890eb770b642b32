#pragma once

#include <caf/execution_unit.hpp>
#include <caf/fwd.hpp>
#include <caf/type_erased_tuple.hpp>

namespace libpool {

/// Execution unit of an actor, which CAF passes to `enqueue` with each message;
/// nullptr outside of the scheduler.
using execution_context = caf::execution_unit;

/// Elements of a message, with the functions `match_elements<Ts...>()` and
/// `get_as<T>(i)`.
using message_content = caf::type_erased_tuple;

} // namespace libpool
