#pragma once

#include "libpool/nodes/durable_options.hpp"
#include "libpool/nodes/pool_address.hpp"
#include "libpool/nodes/protocol/work_queue.hpp"

#include <functional>
#include <memory>
#include <string>

namespace libpool {

/// Opens a front's end of the durable queue of the pool at `where`. It takes
/// submissions as far as the window allows, in a thread of its own.
///
/// The result of a submission is stored before the submission is removed. A
/// submission that an earlier front had is removed if its result is stored.
///
/// `waits`, if it is set, is called in any thread with the reason why the
/// queue cannot be used, each time that the reason changes.
///
/// `keeps` is released when the thread has ended: at most a few seconds after
/// the queue, for which the last results are stored.
///
/// Errors: std::runtime_error if the options cannot be used. If no server can
///         be reached, the queue tries again.
std::shared_ptr<work_queue>
open_work_queue(const pool_address& where, const durable_options& options,
                std::shared_ptr<work_user> user,
                std::function<void(const std::string& why)> waits,
                std::shared_ptr<void> keeps);

} // namespace libpool
