#pragma once

#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/core/errc.hpp"

#include <caf/actor_addr.hpp>

namespace libpool {

/// Whether the client of the request has died, so that nobody waits for its
/// answer.
/// @pre the task has its message, or an interceptor
bool client_is_gone(const managed_task& task);

/// Makes the message of a task that has crashed a worker once more, if the task
/// has lost it. The reply passes another interceptor if it passed one before.
void renew_message(managed_task& task, const answers& by);

/// Gets the message of the task ready to be sent to the worker by `pool`: that
/// of an outer pool is held or opened, and a worker that is a pool gets a
/// `passage`. Returns why the message cannot be sent; errc{} if it can.
errc get_ready(managed_task& task, const managed_worker& to,
               const caf::actor_addr& pool);

} // namespace libpool
