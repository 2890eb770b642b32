#pragma once

#include "libpool/nodes/protocol/work_queue.hpp"
#include "libpool/observability/live/reply.hpp"
#include "libpool/observability/live/request.hpp"
#include "libpool/observability/live/watched.hpp"

#include <caf/actor.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace libpool::live {

/// Returns the number of the failed message that the request names. If it names
/// none, answers with that.
std::optional<std::uint64_t> asked_failed_message(const request& request,
                                                  reply& reply);

/// Returns the failed messages of the durable queue of the pool. If it serves
/// none, answers with that.
std::shared_ptr<failed_messages> failed_messages_for(const caf::actor& handle,
                                                     const watched_pool& pool,
                                                     reply& reply);

/// Answers with the failed messages of the pool as JSON: the first ones whose
/// numbers are at least the parameter `from`, or the one with the number `n`.
void list_failed(const watched_pool& pool, const request& request,
                 reply& reply);

} // namespace libpool::live
