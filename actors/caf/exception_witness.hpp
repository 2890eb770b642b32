#pragma once

#include <caf/fwd.hpp>

#include <exception>

namespace libpool {

/// Installs an exception handler that calls `handler_has_thrown` for each
/// exception of a handler of `worker`, then the user's exception handler, and
/// then `take_over_answer` if the result is CAF's own error. A second call for
/// the same worker has no effect.
///
/// Threads: the worker's.
void witness_exceptions(caf::scheduled_actor& worker);

/// Tells the pool that the handler of the last message of `worker` has thrown.
/// Does nothing if no pool sent that message.
void handler_has_thrown(caf::scheduled_actor& worker,
                        const std::exception_ptr& thrown) noexcept;

/// Prevents CAF from answering the request whose handler has thrown, if the
/// pool that sent the request can answer it.
void take_over_answer(caf::scheduled_actor& worker) noexcept;

} // namespace libpool
