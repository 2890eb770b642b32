#pragma once

#include <caf/fwd.hpp>

#include <exception>

namespace libpool {

/// Has `handler_has_thrown` called for each exception of a handler of `worker`,
/// before the user's exception handler runs, and `take_over_answer` if that
/// returns nothing but CAF's own error. Once is enough.
///
/// Threads: the worker's.
void witness_exceptions(caf::scheduled_actor& worker);

/// The handler of the message that `worker` has got last has thrown, which is
/// being handled. Does nothing if no pool has sent that message.
void handler_has_thrown(caf::scheduled_actor& worker,
                        const std::exception_ptr& thrown) noexcept;

/// Keeps CAF from answering the request whose handler has thrown, if the pool
/// that has sent it can do that.
void take_over_answer(caf::scheduled_actor& worker) noexcept;

} // namespace libpool
