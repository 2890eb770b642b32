#pragma once

#include <cstdint>

namespace libpool {

/// Outcome of a task, or of an item in a pipeline. `refused`: the pool did not
/// accept the task.
enum class outcome : std::uint8_t { completed, refused, failed, cancelled };

} // namespace libpool
