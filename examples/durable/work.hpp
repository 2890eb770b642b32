#pragma once

#include "job_queue.hpp"
#include "options.hpp"

#include <atomic>
#include <iosfwd>

namespace durable {

/// Has a pool work on the jobs of the queue until that is over, see `feeder`.
///
/// Errors: std::runtime_error.
void work(job_queue& queue, const work_options& options, std::ostream& log,
          const std::atomic<bool>& stop);

} // namespace durable
