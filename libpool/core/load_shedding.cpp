#include "libpool/core/load_shedding.hpp"

#include <algorithm>
#include <iterator>

namespace libpool {

std::optional<std::string> objection_to(const shed& rule) {
  auto objection = [](const char* name, duration time) {
    return name + std::string{" must be above 0, got "}
           + std::to_string(time.count()) + " ns";
  };
  if (rule.target <= duration{0})
    return objection("target", rule.target);
  if (rule.interval <= duration{0})
    return objection("interval", rule.interval);
  return std::nullopt;
}

load_shedding::verdict load_shedding::judge(const task& task, instant now) {
  if (task.was_held || is_retry(task)
      || rule_->exempt.count(task.flow.key().name()) > 0)
    return verdict::in_turn;
  const auto queue = by_flow_ ? task.flow.key().hash() : 0;
  const auto waited = now - std::max(task.accepted, resumed_);
  if (waited <= rule_->target) {
    calm_down(queue, now);
    return verdict::in_turn;
  }
  if (busy_.size() >= most_busy_)
    forget_old(now);
  auto& busy = busy_.try_emplace(queue, busy_time{now, now}).first->second;
  if (task.accepted > later(busy.last, rule_->interval))
    busy.since = now; // no task of the queue waited meanwhile
  busy.last = now;
  if (!busy.is_overload(rule_->interval))
    return verdict::in_turn;
  return waited > 2 * rule_->target ? verdict::dropped : verdict::newest_first;
}

/// Notes that the next task of the queue has not waited for long. An overload
/// lasts until all tasks of an interval were such: while tasks are dropped, a
/// few short waits are a matter of chance.
void load_shedding::calm_down(std::uint64_t queue, instant now) {
  auto i = busy_.find(queue);
  if (i != busy_.end()
      && (!i->second.is_overload(rule_->interval)
          || now - i->second.last >= rule_->interval))
    busy_.erase(i);
}

/// Forgets flows that may never have a task again.
void load_shedding::forget_old(instant now) {
  constexpr auto long_time = std::chrono::minutes{1};
  for (auto i = busy_.begin(); i != busy_.end();)
    i = now - i->second.last > long_time ? busy_.erase(i) : std::next(i);
  most_busy_ = std::max(most_busy_, 2 * busy_.size());
}

} // namespace libpool
