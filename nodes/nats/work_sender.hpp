#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/nodes/pool_address.hpp"
#include "libpool/nodes/protocol/work_queue.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace libpool {

/// Opens the end of the client `name` of the durable queue of the pool at
/// `where`. It sends in a thread of its own. A submission that is stored and
/// has no result is stored again after the time `before_repeating`, since
/// servers can lose it, and then each time after twice as long.
///
/// Errors: std::runtime_error if the options cannot be used. If no server can
///         be reached, the queue tries again.
std::shared_ptr<submission_queue>
open_submission_queue(const pool_address& where, const std::string& name,
                      std::shared_ptr<submission_user> user,
                      duration before_repeating = std::chrono::seconds{30});

} // namespace libpool
