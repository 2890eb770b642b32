/// How a dispatcher retries tasks, and how long they wait before.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <optional>

namespace libpool {

bool dispatcher::may_try_again(const task& task, instant now) const noexcept {
  auto has_begun = task.is == task::condition::sent
                   || task.is == task::condition::running;
  return has_begun && !task.follows && limits_.backoff && task.repeatable
         && !abandoned_ && task.unwanted == errc{}
         && task.notes().errors < limits_.backoff->times && task.deadline > now;
}

retry_verdict dispatcher::answered_with_error(task& task, duration wait,
                                              instant ended, instant now) {
  if (!may_try_again(task, now))
    return retry_verdict::no;
  auto again_at = wait > duration{0} ? later(now, wait)
                                     : again_after(task, now);
  if (again_at >= task.deadline)
    return retry_verdict::no;
  if (!retries_.allows(task)) {
    ++record_.retries_refused;
    return retry_verdict::over_budget;
  }
  if (task.own_notes().errors++ == 0)
    retries_.began(task);
  retry_at_ = again_at;
  finished(task, ending::to_be_retried, ended);
  return retry_verdict::yes;
}

/// Returns when the task, whose handler has ended, may run again; unset: the
/// task is settled. Counts a crash.
std::optional<instant> dispatcher::next_attempt(task& task, ending how,
                                                instant now) {
  if (task.is == task::condition::overdue || task.unwanted != errc{}
      || how == ending::completed)
    return std::nullopt;
  if (how == ending::to_be_retried)
    return retry_at_;
  if (how == ending::interrupted)
    return abandoned_ ? std::nullopt : std::optional{now};
  return again_after_crash(task, now);
}

/// Returns when the task, which has crashed its worker or was lost with its
/// node, may run again; unset: the task fails.
std::optional<instant> dispatcher::again_after_crash(task& task, instant now) {
  const auto crashes = ++task.own_notes().crashes;
  if (!task.repeatable || abandoned_)
    return std::nullopt;
  auto again_at = limits_.backoff ? again_after(task, now) : now;
  auto is_poison = limits_.poison_after > 0 && crashes >= limits_.poison_after;
  auto is_permitted = !is_poison && crashes <= limits_.retries
                      && (again_at <= now || again_at < task.deadline);
  return is_permitted ? std::optional{again_at} : std::nullopt;
}

/// Returns why the task fails, whose handler has ended so.
errc dispatcher::failure_of(const task& task, ending how) const noexcept {
  if (how == ending::interrupted)
    return *abandoned_;
  if (limits_.poison_after > 0 && task.notes().crashes >= limits_.poison_after)
    return errc::poisoned;
  if (task.repeatable && !abandoned_ && limits_.retries > 0)
    return errc::retries_exhausted;
  return how == ending::lost ? errc::node_lost : errc::worker_crashed;
}

/// Draws the time at which the task, whose handler has just failed, may run
/// again.
instant dispatcher::again_after(const task& task, instant now) {
  const auto& notes = task.notes();
  auto retries = notes.crashes + notes.errors;
  return later(now,
               limits_.backoff->draw_before(std::max(1U, retries), draws_));
}

/// Lets the task wait again, but not before its time.
void dispatcher::wait_until(task& task, instant time, instant now) {
  ++record_.retries;
  if (abandoned_ || time <= now)
    return requeue(task, now);
  task.recalled = false;
  enter(task, task::condition::waiting);
  task.own_notes().not_before = time;
  delayed_.add(task, time);
}

/// Returns the tasks whose time has come to the order.
void dispatcher::free_delayed(instant now) {
  while (!delayed_.empty() && delayed_.top_key() <= now) {
    auto& task = delayed_.top();
    undelay(task);
    policy_.order->added(task, now);
    const auto* where = task.notes().where;
    if (where != nullptr && workers_.are_lost(*where)) // meanwhile
      aside_.departed(where->only.front());
  }
}

void dispatcher::undelay(task& task) noexcept {
  delayed_.remove(task);
  task.own_notes().not_before = never;
}

} // namespace libpool
