#include "libpool/policies/placement/weighted.hpp"

#include <algorithm>

namespace libpool {

namespace {

constexpr duration shortest{1};

/// Number of workers that can join between two choices before the turns of
/// others are moved again.
constexpr std::uint64_t joiners = std::uint64_t{1} << 20;

bool has_earlier_turn(const estimate_record* x,
                      const estimate_record* y) noexcept {
  return x->turn < y->turn;
}

bool serves(const estimate_record& record) noexcept {
  return record.worker->is == worker::condition::serving;
}

} // namespace

// -- workers ------------------------------------------------------------------

void weighted::joined(worker& worker, instant now) noexcept {
  if (next_turn_ == cursor_)
    make_room_behind_cursor();
  estimating_placement::joined(worker, now);
  record_of(worker).turn = next_turn_++;
  lightest_ = nullptr;
}

void weighted::left(worker& worker, instant now) noexcept {
  lightest_ = nullptr;
  estimating_placement::left(worker, now);
}

/// Moves the turns from the cursor on, so that workers that join can have turns
/// before the cursor and behind all other workers.
bool weighted::reweighed(worker&, duration) noexcept {
  lightest_ = nullptr;
  return true;
}

void weighted::make_room_behind_cursor() noexcept {
  for (auto* record : members())
    if (record->turn >= cursor_)
      record->turn += joiners;
  next_turn_ = cursor_;
  cursor_ += joiners;
}

// -- weights ------------------------------------------------------------------

duration weighted::weight_of(const estimate_record& record) const noexcept {
  auto given = record.worker->weight;
  if (given.count() > 0)
    return given;
  return std::max(common_estimate().value_or(shortest), shortest);
}

std::optional<duration>
weighted::charge_for(const estimate_record& record) const noexcept {
  auto known = estimate_of(record);
  return std::max(known ? *known : smallest_weight(), shortest);
}

/// Returns the smallest weight of the workers that serve.
/// @pre a worker serves
duration weighted::smallest_weight() const noexcept {
  if (lightest_ == nullptr || !serves(*lightest_)) {
    lightest_ = nullptr;
    for (const auto* record : members())
      if (serves(*record)
          && (lightest_ == nullptr
              || record->worker->weight < lightest_->worker->weight))
        lightest_ = record;
  }
  return weight_of(*lightest_);
}

// -- turns --------------------------------------------------------------------

weighted::records::const_iterator
weighted::at_or_behind(const records& room, std::uint64_t turn) noexcept {
  return std::lower_bound(
    room.begin(), room.end(), turn,
    [](const estimate_record* record, std::uint64_t least) {
      return record->turn < least;
    });
}

void weighted::entered(estimate_record& record) noexcept {
  offered_.insert(at_or_behind(offered_, record.turn), &record);
}

void weighted::withdrew(estimate_record& record) noexcept {
  offered_.erase(at_or_behind(offered_, record.turn));
}

void weighted::changed(estimate_record&) noexcept {
  // Workers are not sorted by samples, charges or ties.
}

worker* weighted::best(instant) noexcept {
  return offered_.empty() ? nullptr : picked_from(offered_);
}

worker* weighted::best_of(const std::vector<worker*>& some, instant) noexcept {
  some_.clear();
  for (auto* worker : some)
    some_.push_back(&record_of(*worker));
  std::sort(some_.begin(), some_.end(), has_earlier_turn);
  return picked_from(some_);
}

worker* weighted::picked_from(const records& room) noexcept {
  auto& result = pick(room);
  picked_ = &result;
  return result.worker;
}

void weighted::took_turn() noexcept {
  if (picked_->turn != cursor_)
    next_turn_ = cursor_ = picked_->turn;
  ended_turns();
}

} // namespace libpool
