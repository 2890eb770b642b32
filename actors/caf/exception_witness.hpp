#pragma once

#include <caf/fwd.hpp>

#include <exception>

namespace libpool {

/// Has `handler_has_thrown` called for each exception of a handler of `worker`,
/// before the user's exception handler runs. Once is enough.
///
/// Threads: the worker's.
void witness_exceptions(caf::scheduled_actor& worker);

/// The handler of the message that `worker` has got last has thrown, which is
/// being handled. Does nothing if no pool has sent that message.
void handler_has_thrown(caf::scheduled_actor& worker,
                        const std::exception_ptr& thrown) noexcept;

} // namespace libpool
