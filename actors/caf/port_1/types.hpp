#pragma once

#include <caf/fwd.hpp>
#include <caf/message.hpp>
#include <caf/scheduler.hpp>

namespace libpool {

/// Where actors run: what CAF hands to each message that is sent. nullptr
/// outside of the scheduler.
using execution_context = caf::scheduler;

/// The elements of a message: `match_elements<Ts...>()`, `get_as<T>(i)`.
using message_content = caf::message;

} // namespace libpool
