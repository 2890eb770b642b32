#pragma once

#include "libpool/observability/live/reply.hpp"
#include "libpool/observability/live/request.hpp"
#include "libpool/observability/live/watched.hpp"

namespace libpool::live {

/// Answers with the failed messages of the durable queue of the pool as JSON:
/// the first ones whose numbers are at least the parameter `from`, or the one
/// with the number `n`.
void list_failed(const watched_pool& pool, const request& request,
                 reply& reply);

/// Removes the failed message with the number `n`, or submits it again.
void change_failed(const watched_pool& pool, bool removes,
                   const request& request, reply& reply);

} // namespace libpool::live
