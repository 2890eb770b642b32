#include "libpool/actors/managed/hedging.hpp"

#include "libpool/actors/managed/managed_task.hpp"

namespace libpool {

hedging::hedging(std::shared_ptr<gather_plan> plan)
  : plan_(plan != nullptr && plan->has_patience() ? std::move(plan) : nullptr) {
  // nop
}

void hedging::message_came() noexcept {
  ++messages_;
  if (plan_ != nullptr)
    plan_->message_came();
}

void hedging::first_was_asked(gather& message, instant now) {
  if (message.sent != never)
    return;
  message.sent = now;
  if (auto after = plan_->patience()) {
    message.hedge_at = later(now, *after);
    due_.emplace(message.hedge_at, &message);
  }
}

void hedging::first_has_answered(duration time) noexcept {
  plan_->first_answered(time);
}

void hedging::forget(gather& message) {
  if (message.hedge_at != never)
    due_.erase({std::exchange(message.hedge_at, never), &message});
}

gather* hedging::take_due(instant now) {
  if (due_.empty() || due_.begin()->first > now)
    return nullptr;
  auto& result = *due_.begin()->second;
  forget(result);
  return &result;
}

bool hedging::has_budget() const noexcept {
  return plan_->may_ask_another();
}

void hedging::asked_another() noexcept {
  ++hedged_;
  plan_->asked_another();
}

} // namespace libpool
