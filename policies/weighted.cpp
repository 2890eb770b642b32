#include "libpool/policies/weighted.hpp"

#include <algorithm>

namespace libpool {

namespace {

constexpr duration shortest{1};

} // namespace

duration weighted::weight_of(const estimate_record& record) const noexcept {
  auto given = record.worker->weight;
  if (given.count() > 0)
    return given;
  return std::max(common_estimate().value_or(shortest), shortest);
}

std::optional<duration>
weighted::charge_for(const estimate_record& record) const noexcept {
  return std::max(estimate_of(record).value_or(weight_of(record)), shortest);
}

weighted::records::const_iterator
weighted::at_or_behind(const records& room, worker_number cursor) noexcept {
  return std::lower_bound(
    room.begin(), room.end(), cursor,
    [](const estimate_record* record, worker_number number) {
      return record->worker->number < number;
    });
}

void weighted::entered(estimate_record& record) noexcept {
  offered_.insert(at_or_behind(offered_, record.worker->number), &record);
}

void weighted::withdrew(estimate_record& record) noexcept {
  offered_.erase(at_or_behind(offered_, record.worker->number));
}

void weighted::changed(estimate_record&) noexcept {
  // Workers are not sorted by samples, charges or ties.
}

worker* weighted::best(instant) noexcept {
  return offered_.empty() ? nullptr : pick(offered_).worker;
}

worker* weighted::best_of(const std::vector<worker*>& some, instant) noexcept {
  some_.clear();
  for (auto* worker : some)
    some_.push_back(&record_of(*worker));
  return pick(some_).worker;
}

} // namespace libpool
