#pragma once

#include <cstdint>

namespace libpool {

/// Time at which the pool chooses the worker of a task. `eager`: when the task
/// arrives, even if the worker has other tasks to handle first. `lazy`: when a
/// worker has room, so that the task can be sent at once.
enum class assignment : std::uint8_t { eager, lazy };

} // namespace libpool
