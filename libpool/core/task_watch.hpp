#pragma once

#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/kind_estimates.hpp"
#include "libpool/core/limits.hpp"
#include "libpool/core/task.hpp"
#include "libpool/export.hpp"

#include <optional>

namespace libpool {

/// Tells when tasks have to be looked at: at their deadlines, when their
/// handlers reach the time limit, or when they become hopeless. A task that has
/// not begun is hopeless if it would probably end after its deadline.
///
/// Cost:    O(log tasks) for a task with a deadline or a time limit; otherwise
///          O(1).
/// Threads: one at a time.
class LIBPOOL_EXPORT task_watch {
public:
  /// Makes an object without tasks.
  explicit task_watch(const limits& within) noexcept;

  // -- facts ------------------------------------------------------------------

  /// Watches the new task.
  void accepted(task& task) {
    if (drops_hopeless_)
      arm(task, hopeless_from(task));
    else if (task.deadline != never)
      due_.add(task, task.deadline);
  }

  /// Watches the task, which goes to a worker at the time `now`.
  void sent(task& task, instant now) {
    if (time_limit_)
      arm(task, later(now, *time_limit_));
    else if (drops_hopeless_)
      arm(task);
  }

  /// Watches the task, which has come back from a worker.
  void came_back(task& task) {
    if (time_limit_ || drops_hopeless_)
      arm(task, hopeless_from(task));
  }

  /// Watches the task no more.
  void settled(task& task) noexcept {
    if (tasks_by_due_time::contains(task))
      due_.remove(task);
  }

  /// Records that a handler of the task has completed after the time `took`.
  void completed(const task& task, duration took) noexcept {
    if (drops_hopeless_)
      estimate(task, took);
  }

  /// Records that the task is dropped because it is hopeless. If the task had
  /// no chance even when it arrived, lowers the estimate of its kind: otherwise
  /// a single slow task could make all further ones hopeless for ever.
  void dropped(const task& task) noexcept;

  /// Sets the time at which the task is looked at: its deadline or, if that is
  /// earlier, `check_at`.
  void arm(task& task, instant check_at = never);

  /// Removes the task that is due first, and returns it.
  /// @pre `has_due` is true for some time
  task& take_due() noexcept;

  // -- questions --------------------------------------------------------------

  /// Whether tasks are due at the time `now`.
  bool has_due(instant now) const noexcept {
    return !due_.empty() && due_.top_key() <= now;
  }

  /// Returns the time at which the first task is due; `never` if none is
  /// watched.
  instant next() const noexcept {
    return due_.empty() ? never : due_.top_key();
  }

  /// Returns the time at which a handler that began at `started` reaches the
  /// time limit; `never` without a limit.
  instant limit_from(instant started) const noexcept {
    return time_limit_ ? later(started, *time_limit_) : never;
  }

  /// Returns the time from which the task, which has not begun, is hopeless;
  /// `never` without a deadline or `limits::drop_hopeless`.
  instant hopeless_from(const task& task) const noexcept;

  /// Whether the task, which has not begun, is hopeless at the time `now`.
  /// Always false without `limits::drop_hopeless`.
  bool is_hopeless(const task& task, instant now) const noexcept {
    return drops_hopeless_ && hopeless_from(task) <= now;
  }

private:
  void estimate(const task& task, duration took) noexcept;

  const std::optional<duration> time_limit_;
  const bool drops_hopeless_;
  tasks_by_due_time due_;
  kind_estimates estimates_; // kept only to drop hopeless tasks
};

} // namespace libpool
