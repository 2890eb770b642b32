#pragma once

#include "world.hpp"

namespace products {

/// Returns the law of requests of workers to their own pools that the message
/// breaks, if it is such a request, or if its handler sends some. Empty if it
/// breaks none.
std::string nested_violation(const world& w, const message_record& message);

/// Whether the request of a worker to its own pool may fail before another
/// worker looks at it: the pool has ended, or all its workers wait.
bool may_fail_early(const world& w, const message_record& message);

/// Whether a handler may wait for ever for an answer that another worker has
/// lost: their pool does not see that.
bool handlers_may_wait(const world& w);

} // namespace products
