#include "libpool/actors/managed/hedging.hpp"

#include "libpool/actors/managed/managed_task.hpp"

#include <algorithm>
#include <variant>

namespace libpool {

void hedging::first_was_asked(gather& message, instant now) {
  if (!how_->hedge_after || message.sent != never)
    return;
  message.sent = now;
  if (auto after = delay()) {
    message.hedge_at = later(now, *after);
    due_.emplace(message.hedge_at, &message);
  }
}

/// How long to wait for the first one, if that is known yet.
std::optional<duration> hedging::delay() const {
  constexpr std::uint64_t enough = 100;
  if (auto* fixed = std::get_if<duration>(&*how_->hedge_after))
    return *fixed;
  if (answers_.count() < enough)
    return std::nullopt;
  auto rank = std::get<percentile>(*how_->hedge_after).percent;
  return std::max(answers_.percentile(rank), duration{1});
}

void hedging::first_has_answered(duration time) noexcept {
  answers_.record(time);
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
  auto most = static_cast<double>(messages_) * how_->hedge_budget / 100;
  return static_cast<double>(hedged_ + 1) <= most;
}

} // namespace libpool
