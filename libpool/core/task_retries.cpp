#include "libpool/core/task_retries.hpp"

#include "libpool/core/joint_run.hpp"

#include <algorithm>

namespace libpool {

task_retries::task_retries(const limits& within, bool by_flow) noexcept
  : budget_(within.budget),
    by_flow_(by_flow),
    retries_(within.retries),
    poison_after_(within.poison_after),
    backoff_(within.backoff),
    draws_(within.seed) {
  // nop
}

// -- attempts -----------------------------------------------------------------

bool task_retries::is_permitted(const task& task, instant now) const noexcept {
  auto has_begun = task.is == task::condition::sent
                   || task.is == task::condition::running;
  return has_begun && !task.follows && backoff_ && task.repeatable && !stopped_
         && task.cancel_reason == errc{}
         && task.notes().errors < backoff_->times && last_deadline(task) > now;
}

/// Whether one more attempt at the task, which is at a worker and was answered
/// with an error, is within the budget.
bool task_retries::is_within_budget(const task& task) const {
  if (!budget_)
    return true;
  auto i = counts_.find(key_of(task));
  auto known = i != counts_.end() ? i->second : counts{};
  auto most = budget_->share * static_cast<double>(known.at_workers);
  auto retried = known.retried + (task.notes().errors == 0 ? 1 : 0);
  return retried <= budget_->at_least || static_cast<double>(retried) <= most;
}

retry_verdict task_retries::answered_with_error(task& task, duration wait,
                                                instant now) {
  if (!is_permitted(task, now))
    return retry_verdict::no;
  auto again_at = wait > duration{0} ? later(now, wait) : draw_after(task, now);
  if (again_at >= last_deadline(task))
    return retry_verdict::no;
  if (!is_within_budget(task))
    return retry_verdict::over_budget;
  if (task.own_notes().errors++ == 0 && budget_)
    ++counts_[key_of(task)].retried;
  retry_at_ = again_at;
  return retry_verdict::yes;
}

void task_retries::takes_over(task& next, const task& former) {
  const auto& before = former.notes();
  if (attempts_at(former) == 0)
    return;
  auto& notes = next.own_notes();
  if (budget_ && before.errors > 0 && notes.errors == 0)
    ++counts_[key_of(next)].retried;
  notes.crashes = std::max(notes.crashes, before.crashes);
  notes.errors = std::max(notes.errors, before.errors);
}

std::optional<instant> task_retries::next_attempt(task& task, ending ending,
                                                  instant now) {
  if (task.is == task::condition::overdue || task.cancel_reason != errc{}
      || ending == ending::completed)
    return std::nullopt;
  if (ending == ending::to_be_retried)
    return retry_at_;
  if (ending == ending::interrupted)
    return stopped_ ? std::nullopt : std::optional{now};
  return after_crash(task, now);
}

/// Returns when the task, which has crashed its worker or was lost with its
/// node, may run again; unset: the task fails.
std::optional<instant> task_retries::after_crash(task& task, instant now) {
  const auto crashes = ++task.own_notes().crashes;
  if (!task.repeatable || stopped_)
    return std::nullopt;
  auto again_at = backoff_ ? draw_after(task, now) : now;
  auto is_poison = poison_after_ > 0 && crashes >= poison_after_;
  auto is_permitted = !is_poison && crashes <= retries_
                      && (again_at <= now || again_at < last_deadline(task));
  return is_permitted ? std::optional{again_at} : std::nullopt;
}

errc task_retries::failure_of(const task& task, ending ending) const noexcept {
  if (ending == ending::interrupted)
    return *stopped_;
  if (poison_after_ > 0 && task.notes().crashes >= poison_after_)
    return errc::poisoned;
  if (task.repeatable && !stopped_ && retries_ > 0)
    return errc::retries_exhausted;
  return ending == ending::lost ? errc::node_lost : errc::worker_crashed;
}

/// Draws the time at which the task, whose handler has just failed, may run
/// again.
instant task_retries::draw_after(const task& task, instant now) {
  return later(now,
               backoff_->draw_before(std::max(1U, attempts_at(task)), draws_));
}

/// Lowers the number by one, and forgets flows without tasks.
void task_retries::lower(const task& task, std::size_t counts::*lowered) {
  auto i = counts_.find(key_of(task));
  if (i == counts_.end())
    return;
  --(i->second.*lowered);
  if (i->second.at_workers == 0 && i->second.retried == 0)
    counts_.erase(i);
}

// -- tasks that wait for their next attempts ----------------------------------

void task_retries::delay(task& task, instant until) {
  task.own_notes().not_before = until;
  delayed_.add(task, until);
}

bool task_retries::remove(task& task) noexcept {
  if (task.notes().not_before == never)
    return false;
  delayed_.remove(task);
  task.own_notes().not_before = never;
  return true;
}

task* task_retries::take_due(instant now) noexcept {
  if (delayed_.empty() || delayed_.top_key() > now)
    return nullptr;
  auto& result = delayed_.top();
  remove(result);
  return &result;
}

} // namespace libpool
