#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/joint_rule.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/retry_backoff.hpp"
#include "libpool/core/retry_budget.hpp"
#include "libpool/core/shed.hpp"
#include "libpool/core/throttle.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace libpool {

/// Treatment of a new task if the maximum number of waiting tasks is reached.
/// `refuse`: the new task is refused. `drop_oldest`: the oldest task that was
/// not sent to a worker is cancelled to make room.
enum class overflow : std::uint8_t { refuse, drop_oldest };

/// Treatment of a task that needs more seats (places for tasks) than all
/// serving workers have together. `clamp`: the task takes all of these seats.
/// `refuse`: the task is refused.
enum class too_wide : std::uint8_t { clamp, refuse };

/// Limits on the tasks that a pool accepts and runs, and on their retries.
struct limits {
  /// Maximum number of accepted tasks that were not sent to a worker; default:
  /// unlimited. A task that can be sent at once is accepted even if this number
  /// is reached.
  std::size_t capacity = static_cast<std::size_t>(-1);
  /// Treatment of a new task if `capacity` is reached; default: the task is
  /// refused.
  overflow on_overflow = overflow::refuse;
  /// Maximum number of retries of a task that has crashed its worker or was
  /// lost with its node; default: 0. Applies to tasks whose `repeatable` is
  /// true.
  unsigned retries = 0;
  /// Maximum number of workers that a task may crash, or nodes that may be lost
  /// with it. When the number is reached, the task fails, even if it has
  /// retries left. 0, the default: unlimited.
  unsigned poison_after = 0;
  /// Treatment of a task that needs more seats (places for tasks) than all
  /// serving workers have; default: the task takes all seats.
  libpool::too_wide too_wide = too_wide::clamp;
  /// Waiting times before retries; unset: tasks that crashed are retried at
  /// once, and tasks whose handlers answered with an error are not retried.
  std::optional<libpool::retry_backoff> backoff = {};
  /// Maximum number of tasks that are retried after errors at the same time;
  /// unset: unlimited.
  std::optional<libpool::retry_budget> budget = {};
  /// Maximum time from the start of a handler to its end; later the task is
  /// cancelled. Default: unlimited.
  std::optional<duration> time_limit = {};
  /// Whether a task is cancelled before it begins if its handler would probably
  /// end after its deadline: if the time left is less than the estimate of the
  /// task, or of its kind. Default: false.
  bool drop_hopeless = false;
  /// Maximum number of due tasks that one call of `dispatcher::ticked` or
  /// `dispatcher::dispatch` looks at; default: unlimited. While more are due,
  /// no task goes to a worker, and `dispatcher::next_tick` is not later than
  /// the time of the call.
  std::size_t due_at_once = static_cast<std::size_t>(-1);
  /// Rule by which waiting tasks are dropped while the pool is overloaded;
  /// unset: none is dropped. Requires lazy assignment, and an order by arrival
  /// or by flows.
  std::optional<libpool::shed> shed = {};
  /// Rule by which tasks with a `task_notes::run_key` share runs; unset: each
  /// task runs alone.
  std::optional<libpool::joint_rule> joint = {};
  /// Seed of the random waiting times.
  std::uint64_t seed = 0;
  /// Limits on the tasks at workers; default: none.
  libpool::throttles throttles = {};
  /// Limits on the tasks that are sent together to workers with
  /// `worker::takes_leases`; default: each task is sent alone.
  lease_bounds leases = {};
  /// Whether tasks have flows although the policy may not use them, so that
  /// flows can be paused and limited later; default: false.
  bool by_flow = false;
};

} // namespace libpool
