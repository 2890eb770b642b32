/// How a dispatcher watches times: deadlines, time limits, and tasks that would
/// end too late.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>

namespace libpool {

/// Sets the time at which the task is looked at: its deadline or, if that is
/// earlier, `check_at`.
void dispatcher::arm(task& task, instant check_at) {
  look_no_more(task);
  if (check_at != never || task.has_attempt())
    task.own_attempt().check_at = check_at;
  if (auto due = std::min(task.deadline, check_at); due != never)
    due_.add(task, due);
}

/// Looks at the task at no time any more.
void dispatcher::look_no_more(task& task) noexcept {
  if (tasks_by_due_time::contains(task))
    due_.remove(task);
}

/// The time has come at which the task is looked at. If it was cancelled
/// before, for another reason, its handler still runs.
void dispatcher::is_due(task& task, instant now) {
  if (task.is == task::condition::overdue) {
    task.unwanted = task.deadline <= now ? errc::deadline_exceeded
                                         : errc::time_limit;
    if (hangs(task))
      hang(*task.on, now);
    return;
  }
  if (task.deadline <= now)
    return cancelled(task, errc::deadline_exceeded, now);
  if (task.is >= task::condition::sent) {
    arm(task);
    decisions_.emplace_back(decision::kind::look, &task, task.on);
  } else if (is_hopeless(task, now)) {
    drop_hopeless(task, now);
  } else {
    arm(task, hopeless_from(task)); // the estimate has become shorter
  }
}

void dispatcher::looked_at(task& task, instant started, instant now) {
  auto is_there = task.is == task::condition::sent
                  || task.is == task::condition::running;
  if (!is_there || !limits_.time_limit)
    return;
  if (started != never)
    this->started(task, started);
  if (task.is == task::condition::overdue)
    return; // was cancelled before
  auto end = later(started == never ? now : started, *limits_.time_limit);
  if (end <= now)
    cancelled(task, errc::time_limit, now);
  else
    arm(task, end);
}

/// Returns the time from which the task, which has not begun, would probably
/// end at its deadline or later; `never` if this does not matter.
instant dispatcher::hopeless_from(const task& task) const noexcept {
  if (!limits_.drop_hopeless || task.deadline == never)
    return never;
  auto estimate = std::max(estimates_.of(task), duration{0});
  return task.deadline - std::min(estimate, task.deadline.time_since_epoch());
}

/// Cancels the task, which would end too late. If it had no chance even when it
/// arrived, lowers the estimate of its kind: otherwise a single slow task could
/// make all further ones hopeless for ever.
void dispatcher::drop_hopeless(task& task, instant now) {
  if (!task.notes().estimate && hopeless_from(task) <= task.accepted)
    estimates_.lower(task.kind);
  drop(task, outcome::cancelled, errc::hopeless, now);
}

bool dispatcher::is_hopeless(const task& task, instant now) const noexcept {
  return limits_.drop_hopeless && hopeless_from(task) <= now;
}

} // namespace libpool
