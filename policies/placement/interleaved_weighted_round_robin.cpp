#include "libpool/policies/placement/interleaved_weighted_round_robin.hpp"

#include <algorithm>
#include <cassert>

namespace libpool {

interleaved_weighted_round_robin::interleaved_weighted_round_robin(
  const estimate_options& options)
  : weighted(options) {
  // nop
}

void interleaved_weighted_round_robin::joined(worker& worker,
                                              instant now) noexcept {
  assert((weights_.empty()
          || (weights_.count(duration{0}) > 0) == (worker.weight.count() == 0))
         && "weights are given for all workers, or for none");
  weighted::joined(worker, now);
  ++weights_[worker.weight];
  // The cursor is ahead of the worker: its part of the round is over.
  auto& its = record_of(worker);
  its.account = std::min(weight_of(its), at_.round);
}

void interleaved_weighted_round_robin::left(worker& worker,
                                            instant now) noexcept {
  forget_weight(worker.weight);
  weighted::left(worker, now);
}

void interleaved_weighted_round_robin::forget_weight(duration weight) noexcept {
  auto i = weights_.find(weight);
  if (--i->second == 0)
    weights_.erase(i);
}

bool interleaved_weighted_round_robin::reweighed(worker& worker,
                                                 duration before) noexcept {
  ++weights_[worker.weight];
  forget_weight(before);
  auto& its = record_of(worker);
  its.account = std::min(its.account, worker.weight);
  return weighted::reweighed(worker, before);
}

/// Returns how much of its time in the cycle of `next_` the worker has used:
/// the costs of its ended tasks, and the estimated costs of its tasks in
/// flight.
duration interleaved_weighted_round_robin::used(
  const estimate_record& record) const noexcept {
  auto result = record.account + record.charged;
  if (next_.cycles == 0)
    return result;
  auto weight = weight_of(record);
  auto lowered = static_cast<wide>(result.count())
                 - static_cast<wide>(next_.cycles) * weight.count();
  auto least = static_cast<wide>(-weight.count());
  return duration{static_cast<duration::rep>(std::max(lowered, least))};
}

/// Whether the worker may be chosen in the round of `next_`.
bool interleaved_weighted_round_robin::is_served(
  const estimate_record& record) const noexcept {
  return weight_of(record) >= next_.round && used(record) < next_.round;
}

estimate_record&
interleaved_weighted_round_robin::pick(const records& room) noexcept {
  next_ = at_;
  enter_round_that_exists();
  if (next_.round.count() > 0)
    if (auto* picked = rest_of_round(room, at_or_behind(room, cursor())))
      return *picked;
  if (auto* picked = later_round(room))
    return *picked;
  next_cycle(room);
  return *later_round(room);
}

void interleaved_weighted_round_robin::ended_turns() noexcept {
  if (next_.cycles > 0)
    for (auto* record : members())
      record->account = used(*record) - record->charged;
  next_.cycles = 0;
  at_ = next_;
}

/// Moves to an existing round, if all workers with the weight of the current
/// round have left.
void interleaved_weighted_round_robin::enter_round_that_exists() noexcept {
  if (next_.round.count() > 0)
    next_.round = round_after(next_.round - duration{1});
}

/// Returns the weight of the shortest round that is longer than `used`. If
/// there is none, the cycle has ended, and the result is a round in which no
/// worker is chosen.
duration
interleaved_weighted_round_robin::round_after(duration used) const noexcept {
  if (weights_.begin()->first.count() == 0) // no weights: all are equal
    return weight_of(*members().front());
  auto i = weights_.upper_bound(used);
  return i == weights_.end() ? duration::max() : i->first;
}

estimate_record* interleaved_weighted_round_robin::rest_of_round(
  const records& room, records::const_iterator source) noexcept {
  auto i = std::find_if(
    source, room.end(),
    [this](const estimate_record* record) { return is_served(*record); });
  return i == room.end() ? nullptr : *i;
}

/// Moves to the next round of the cycle in which a worker can be chosen, and
/// returns the record of this worker; nullptr if there is none.
estimate_record*
interleaved_weighted_round_robin::later_round(const records& room) noexcept {
  std::optional<duration> least;
  for (const auto* record : room)
    if (auto passed = std::max(next_.round, used(*record));
        weight_of(*record) > passed)
      least = std::min(least.value_or(passed), passed);
  if (!least)
    return nullptr;
  next_.round = round_after(*least);
  return rest_of_round(room, room.begin());
}

/// Moves to the next cycle in which a worker can be chosen.
void interleaved_weighted_round_robin::next_cycle(
  const records& room) noexcept {
  auto cycles_in_debt = [this](const estimate_record* record) {
    return used(*record) / weight_of(*record);
  };
  auto cycles = cycles_in_debt(room.front());
  for (const auto* record : room)
    cycles = std::min(cycles, cycles_in_debt(record));
  next_.cycles = std::max(cycles, duration::rep{1});
  next_.round = duration{0};
}

} // namespace libpool
