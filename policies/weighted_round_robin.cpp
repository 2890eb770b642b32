#include "libpool/policies/weighted_round_robin.hpp"

#include <algorithm>
#include <cstddef>

namespace libpool {

weighted_round_robin::weighted_round_robin(const placement_options& options)
  : weighted(options) {
  // nop
}

void weighted_round_robin::settled(record& who, duration cost) noexcept {
  who.account -= cost;
}

void weighted_round_robin::charged(record& who, duration more) noexcept {
  who.account -= more;
}

weighted_round_robin::record&
weighted_round_robin::pick(const records& room) noexcept {
  auto next = room.begin();
  if (cursor_) {
    next = at_or_behind(room, *cursor_);
    if (next != room.end() && (*next)->who->number == *cursor_) {
      if ((*next)->account.count() > 0)
        return **next;
      ++next;
    }
  }
  auto from = static_cast<std::size_t>(next - room.begin());
  auto* picked = lap(room, from);
  if (picked != nullptr)
    return *picked;
  skip_laps(room);
  return *lap(room, from);
}

/// Visits all of them once, from the one at `from` on, until one has something
/// left.
weighted_round_robin::record*
weighted_round_robin::lap(const records& room, std::size_t from) noexcept {
  for (std::size_t i = 0; i < room.size(); ++i) {
    auto& who = *room[(from + i) % room.size()];
    who.account += weight_of(who);
    cursor_ = who.who->number;
    if (who.account.count() > 0)
      return &who;
  }
  return nullptr;
}

/// Visits all of them as often as it takes, until one will have something left
/// at its next visit.
void weighted_round_robin::skip_laps(const records& room) noexcept {
  auto laps_in_debt = [this](const record* who) {
    return -who->account / weight_of(*who);
  };
  auto laps = laps_in_debt(room.front());
  for (const auto* who : room)
    laps = std::min(laps, laps_in_debt(who));
  for (auto* who : room)
    who->account += laps * weight_of(*who);
}

} // namespace libpool
