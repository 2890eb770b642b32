#pragma once

#include "job_queue.hpp"

#include "libpool/actors/managed_options.hpp"

#include <cstdint>

namespace durable {

/// What becomes of a job after an attempt.
enum class fate : std::uint8_t {
  done,
  again, ///< goes back to the queue
  dead,  ///< goes to the dead letters
};

/// Whether the work was done. A handler that has answered with an error has
/// completed its task all the same.
bool has_succeeded(const libpool::settled_task& task);

/// What becomes of a job of which an attempt has ended; attempts count from 1.
fate after_attempt(bool succeeded, std::uint64_t attempt, unsigned retries);

/// Whether a job that has just been delivered must not run: too many attempts
/// have not even ended, and perhaps it is what kills the processes.
bool is_poison(std::uint64_t attempt, unsigned retries);

/// How long a job waits after its attempt has failed: 100 ms, twice as long
/// after each further one, at most 10 s.
duration pause_after(std::uint64_t attempt);

} // namespace durable
