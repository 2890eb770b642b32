#pragma once

#include "libpool/core/worker.hpp"

#include <caf/fwd.hpp>

namespace libpool {

class managed_pool;

/// Has the scheduler tell `whose`, once all that is to run now has had its
/// turn, that the worker of this number has paused for long enough.
///
/// An actor of CAF runs for as long as something is in its mailbox. A worker
/// that gets its next task the moment it has ended one would never let go of
/// its thread while there are tasks, and others, which have been given one as
/// well, would never run.
void take_breath(managed_pool& whose, worker_number number);

} // namespace libpool
