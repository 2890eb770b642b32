#pragma once

#include "libpool/core/composition.hpp"
#include "libpool/core/limits.hpp"
#include "libpool/core/measure.hpp"
#include "libpool/export.hpp"

#include <optional>

namespace libpool {

/// What the policy and the limits of a pool ask of the dispatcher and of its
/// owner.
struct LIBPOOL_EXPORT pool_needs {
  /// Finds out the needs of the policy and of the limits `within`.
  pool_needs(const composition& policy, const limits& within);

  /// Measure of the cost of tasks, by which the placement chooses workers:
  /// service time, processor time or waiting time; unset: costs are not
  /// measured.
  std::optional<measure> measured;
  /// Whether tasks get their workers when they arrive (eager assignment).
  bool is_eager;
  /// Whether the policy is told when handlers begin.
  bool starts;
  /// Whether assignment is lazy and tasks are sent in the order of arrival.
  bool takes_turns;
  /// Whether the policy divides the pool among flows, such as tenants. If so,
  /// the sum of the widths of the tasks at a worker is limited
  /// (`worker::seats`), instead of their number (`worker::window`).
  bool has_flows;
  /// Whether the order limits the waiting tasks of each flow, and so may refuse
  /// a new task.
  bool limits_flows;
  /// Whether kinds of tasks (`task::kind`) are used, for example to estimate
  /// service times.
  bool kinds;
  /// Whether workers may get several tasks at once, as far as the policy is
  /// concerned.
  bool leases;
  /// Whether flows can be paused, and the limits on tasks at workers can
  /// change: limits were set from the beginning, or the policy divides the pool
  /// among flows.
  bool may_throttle;
  /// Whether the policies, limits or retries use the time, so that the caller
  /// has to read a clock.
  bool is_timed;
};

} // namespace libpool
