#pragma once

#include <caf/execution_unit.hpp>
#include <caf/fwd.hpp>
#include <caf/type_erased_tuple.hpp>

namespace libpool {

/// Where actors run: what CAF hands to each message that is sent. nullptr
/// outside of the scheduler.
using execution_context = caf::execution_unit;

/// The elements of a message: `match_elements<Ts...>()`, `get_as<T>(i)`.
using message_content = caf::type_erased_tuple;

} // namespace libpool
