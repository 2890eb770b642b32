#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/core/errc.hpp"

#include <caf/abstract_actor.hpp>

namespace libpool {

/// Whether the client of the request has died, so that its answer is not waited
/// for.
/// @pre the task has its message, or an interceptor
bool client_is_gone(const managed_task& task);

/// Makes the message of a task that has crashed a worker once more. The reply
/// passes another interceptor if it passed one before.
/// @pre the task has lost its message
void renew_message(managed_task& task, const answers& by);

/// Gets the message of the task ready to be sent to the worker by `pool`: that
/// of an outer pool is held or opened, and a worker that is a pool gets a
/// `passage`. Returns why the message cannot be sent; errc{} if it can.
errc get_nested_ready(managed_task& task, const managed_worker& to,
                      const caf::abstract_actor& pool);

/// Gets the message ready; hardly a step if neither client nor worker is a
/// pool.
inline errc get_ready(managed_task& task, const managed_worker& to,
                      const caf::abstract_actor& pool) {
  auto is_nested = to.is_pool
                   || tracked_element::from(*task.element) != nullptr;
  return is_nested ? get_nested_ready(task, to, pool) : errc{};
}

} // namespace libpool
