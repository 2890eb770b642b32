#pragma once

#include <cstdint>

namespace libpool {

/// Measure of the cost of a task, for the choice of workers. `service_time`:
/// time from the start of the handler to its end. `cpu_time`: processor time
/// that the handler used. `wait_time`: time from the acceptance of the task to
/// the start.
enum class measure : std::uint8_t { service_time, cpu_time, wait_time };

} // namespace libpool
