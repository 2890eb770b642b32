/// How a dispatcher retries tasks, and how long they wait before.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>

namespace libpool {

namespace {

/// Number of tasks that may be retried at the same time if few tasks run.
constexpr std::uint64_t least_budget = 3;

/// One in so many running tasks may be retried.
constexpr std::uint64_t budget_share = 5;

} // namespace

bool dispatcher::may_try_again(const task& task, instant now) const noexcept {
  auto has_begun = task.is == task::condition::sent
                   || task.is == task::condition::running;
  if (!has_begun || !limits_.backoff || !task.repeatable || abandoned_
      || task.unwanted != errc{} || task.errors >= limits_.backoff->times
      || task.deadline <= now)
    return false;
  const auto& books = tasks_.books;
  auto budget = std::max(least_budget,
                         (books.sent + books.running) / budget_share);
  return retrying_ + (task.errors == 0 ? 1U : 0U) <= budget;
}

bool dispatcher::answered_with_error(task& task, instant ended, instant now) {
  if (!may_try_again(task, now))
    return false;
  auto again_at = again_after(task, now);
  if (again_at >= task.deadline)
    return false;
  retrying_ += task.errors++ == 0 ? 1U : 0U;
  retry_at_ = again_at;
  finished(task, ending::to_be_retried, ended);
  return true;
}

/// Draws the time at which the task, whose handler has just failed, may run
/// again.
instant dispatcher::again_after(const task& task, instant now) {
  auto retries = task.crashes + task.errors;
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
  task.not_before = time;
  delayed_.insert(task);
}

/// Returns the tasks whose time has come to the order.
void dispatcher::free_delayed(instant now) {
  while (!delayed_.empty() && delayed_.begin()->not_before <= now) {
    auto& task = *delayed_.begin();
    undelay(task);
    policy_.order->added(task, now);
    if (task.where != nullptr && is_lost(*task.where)) // meanwhile
      aside_.departed(task.where->only.front());
  }
}

void dispatcher::undelay(task& task) noexcept {
  delayed_.erase(delayed_.iterator_to(task));
  task.not_before = never;
}

} // namespace libpool
