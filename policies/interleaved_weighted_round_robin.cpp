#include "libpool/policies/interleaved_weighted_round_robin.hpp"

#include <algorithm>
#include <cassert>

namespace libpool {

interleaved_weighted_round_robin::interleaved_weighted_round_robin(
  const estimate_options& options)
  : weighted(options) {
  // nop
}

void interleaved_weighted_round_robin::joined(worker& who,
                                              instant now) noexcept {
  assert((weights_.empty()
          || (weights_.count(duration{0}) > 0) == (who.weight.count() == 0))
         && "weights are given for all workers, or for none");
  weighted::joined(who, now);
  ++weights_[who.weight];
}

void interleaved_weighted_round_robin::left(worker& who, instant now) noexcept {
  auto i = weights_.find(who.weight);
  if (--i->second == 0)
    weights_.erase(i);
  weighted::left(who, now);
}

/// Of the budget of the cycle that `next_` is in: what it has been charged, and
/// what its tasks have turned out to cost.
duration
interleaved_weighted_round_robin::used(const record& who) const noexcept {
  auto result = who.account + who.charged;
  if (next_.cycles == 0)
    return result;
  auto weight = weight_of(who);
  auto lowered = static_cast<wide>(result.count())
                 - static_cast<wide>(next_.cycles) * weight.count();
  auto least = static_cast<wide>(-weight.count());
  return duration{static_cast<duration::rep>(std::max(lowered, least))};
}

/// Whether it may be served in this round.
bool interleaved_weighted_round_robin::is_served(
  const record& who) const noexcept {
  return weight_of(who) >= next_.round && used(who) < next_.round;
}

interleaved_weighted_round_robin::record&
interleaved_weighted_round_robin::pick(const records& room) noexcept {
  next_ = at_;
  enter_round_that_exists();
  auto from = next_.cursor ? at_or_behind(room, *next_.cursor) : room.begin();
  if (next_.round.count() > 0)
    if (auto* picked = rest_of_round(room, from))
      return *picked;
  if (auto* picked = later_round(room))
    return *picked;
  next_cycle(room);
  return *later_round(room);
}

void interleaved_weighted_round_robin::took_turn() noexcept {
  if (next_.cycles > 0)
    for (auto* who : members())
      who->account = used(*who) - who->charged;
  next_.cycles = 0;
  at_ = next_;
}

/// The weight of the round may have left with its workers.
void interleaved_weighted_round_robin::enter_round_that_exists() noexcept {
  if (next_.round.count() > 0)
    next_.round = round_after(next_.round - duration{1});
}

/// The shortest round that is longer than `used`; without one the cycle is
/// over, and there is a round in which nobody is served.
duration
interleaved_weighted_round_robin::round_after(duration used) const noexcept {
  if (weights_.begin()->first.count() == 0) // none are given, so all are equal
    return weight_of(*members().front());
  auto i = weights_.upper_bound(used);
  return i == weights_.end() ? duration::max() : i->first;
}

interleaved_weighted_round_robin::record*
interleaved_weighted_round_robin::rest_of_round(
  const records& room, records::const_iterator from) noexcept {
  auto i = std::find_if(from, room.end(),
                        [this](const record* who) { return is_served(*who); });
  if (i == room.end())
    return nullptr;
  next_.cursor = (*i)->who->number;
  return *i;
}

/// The next round of this cycle in which somebody is served.
interleaved_weighted_round_robin::record*
interleaved_weighted_round_robin::later_round(const records& room) noexcept {
  std::optional<duration> least;
  for (const auto* who : room)
    if (auto passed = std::max(next_.round, used(*who));
        weight_of(*who) > passed)
      least = std::min(least.value_or(passed), passed);
  if (!least)
    return nullptr;
  next_.round = round_after(*least);
  return rest_of_round(room, room.begin());
}

/// Begins the next cycle in which somebody will be served.
void interleaved_weighted_round_robin::next_cycle(
  const records& room) noexcept {
  auto cycles_in_debt = [this](const record* who) {
    return used(*who) / weight_of(*who);
  };
  auto cycles = cycles_in_debt(room.front());
  for (const auto* who : room)
    cycles = std::min(cycles, cycles_in_debt(who));
  next_.cycles = std::max(cycles, duration::rep{1});
  next_.round = duration{0};
}

} // namespace libpool
