#pragma once

#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"

#include <caf/error.hpp>

#include <cstddef>

namespace libpool {

/// Returns the error for the client of a task that was refused because the pool
/// or its flow is full, with the time after which another try makes sense, if
/// that time is known. `seats`: seats of the workers.
caf::error refusal_of(const managed_task& task, errc why,
                      const dispatcher& dispatcher, std::size_t seats);

} // namespace libpool
