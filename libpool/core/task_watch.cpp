#include "libpool/core/task_watch.hpp"

#include <algorithm>

namespace libpool {

namespace {

/// Weight of the last task in the estimate of its kind.
constexpr auto estimate_weight = 0.125;

} // namespace

task_watch::task_watch(const limits& within) noexcept
  : time_limit_(within.time_limit),
    drops_hopeless_(within.drop_hopeless),
    estimates_(estimate_weight, duration{0}) {
  // nop
}

void task_watch::arm(task& task, instant check_at) {
  settled(task);
  if (check_at != never || task.has_attempt())
    task.own_attempt().check_at = check_at;
  if (auto due = std::min(task.deadline, check_at); due != never)
    due_.add(task, due);
}

task& task_watch::take_due() noexcept {
  auto& result = due_.top();
  due_.remove(result);
  return result;
}

instant task_watch::hopeless_from(const task& task) const noexcept {
  if (!drops_hopeless_ || task.deadline == never)
    return never;
  auto estimate = std::max(estimates_.of(task), duration{0});
  return task.deadline - std::min(estimate, task.deadline.time_since_epoch());
}

/// At the time limit the client is answered, however long the handler runs.
void task_watch::estimate(const task& task, duration took) noexcept {
  took = std::min(took, time_limit_.value_or(took));
  if (task.cancel_reason == errc{})
    estimates_.add(task.kind(), took);
  else
    estimates_.add_stopped(task.kind(), took);
}

void task_watch::dropped(const task& task) noexcept {
  if (!task.notes().estimate && hopeless_from(task) <= task.accepted)
    estimates_.lower(task.kind());
}

} // namespace libpool
