#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/core/errc.hpp"

#include <caf/abstract_actor.hpp>

namespace libpool {

/// Whether the client of the request has ended, so that no answer is needed.
/// @pre the task has its message, or an interceptor
bool client_is_gone(const managed_task& task);

/// Takes the message of a task that may share its run with others out of the
/// element of an outer pool, if it is in one. Returns the reason why the
/// message is not wanted any more; errc{} if it is.
errc open_shared(managed_task& task);

/// Prepares the message of the task for the worker. A message of an outer pool
/// is held or opened, and a worker that is a pool gets a `passage`. Returns the
/// reason why the message cannot be sent; errc{} if it can.
errc get_nested_ready(managed_task& task, const managed_worker& worker,
                      const caf::abstract_actor& pool);

/// Prepares the message for the worker. Does nothing if neither the client nor
/// the worker is a pool.
inline errc get_ready(managed_task& task, const managed_worker& worker,
                      const caf::abstract_actor& pool) {
  auto is_nested = worker.is_pool
                   || tracked_element::from(*task.element) != nullptr;
  return is_nested ? get_nested_ready(task, worker, pool) : errc{};
}

} // namespace libpool
