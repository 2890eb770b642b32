/// How a dispatcher treats tasks that are due: at deadlines, at time limits,
/// and because they would end too late.

#include "libpool/core/dispatcher.hpp"

namespace libpool {

/// The time has come at which the task is looked at. If it was cancelled
/// before, for another reason, its handler still runs.
void dispatcher::is_due(task& task, instant now) {
  if (task.is == task::condition::overdue) {
    task.cancel_reason = task.deadline <= now ? errc::deadline_exceeded
                                              : errc::time_limit;
    if (has_joiners(task))
      return end_joined(task, outcome::cancelled, task.cancel_reason, now);
    if (hangs(task))
      hang(*task.on, now);
    return;
  }
  if (task.deadline <= now)
    return cancelled(task, errc::deadline_exceeded, now);
  if (task.is >= task::condition::sent) {
    watch_.arm(task);
    if (!is_joiner(task))
      decisions_.emplace_back(decision::kind::look, &task, task.on);
  } else if (watch_.is_hopeless(task, now)) {
    watch_.dropped(task);
    drop(task, outcome::cancelled, errc::hopeless, now);
  } else {
    watch_.arm(task,
               watch_.hopeless_from(task)); // the estimate has become shorter
  }
}

void dispatcher::looked_at(task& task, instant started, instant now) {
  auto is_there = task.is == task::condition::sent
                  || task.is == task::condition::running;
  if (!is_there || watch_.limit_from(now) == never)
    return;
  if (started != never)
    this->started(task, started);
  if (task.is == task::condition::overdue)
    return; // was cancelled before
  auto end = watch_.limit_from(started == never ? now : started);
  if (end <= now)
    cancelled(task, errc::time_limit, now);
  else
    watch_.arm(task, end);
}

} // namespace libpool
