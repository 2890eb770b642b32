#include "libpool/policies/weighted.hpp"

#include <algorithm>

namespace libpool {

namespace {

constexpr duration shortest{1};

} // namespace

duration weighted::weight_of(const record& who) const noexcept {
  auto given = who.who->weight;
  if (given.count() > 0)
    return given;
  return std::max(common_estimate().value_or(shortest), shortest);
}

std::optional<duration> weighted::charge_for(const record& who) const noexcept {
  return std::max(estimate_of(who).value_or(weight_of(who)), shortest);
}

weighted::records::const_iterator
weighted::at_or_behind(const records& room, worker_number cursor) noexcept {
  return std::lower_bound(room.begin(), room.end(), cursor,
                          [](const record* who, worker_number number) {
                            return who->who->number < number;
                          });
}

void weighted::entered(record& who) noexcept {
  offered_.insert(at_or_behind(offered_, who.who->number), &who);
}

void weighted::withdrew(record& who) noexcept {
  offered_.erase(at_or_behind(offered_, who.who->number));
}

void weighted::changed(record&) noexcept {
  // Workers are not sorted by what may have changed.
}

worker* weighted::best(instant) noexcept {
  return offered_.empty() ? nullptr : pick(offered_).who;
}

worker* weighted::best_of(const std::vector<worker*>& some, instant) noexcept {
  some_.clear();
  for (auto* who : some)
    some_.push_back(&record_of(*who));
  return pick(some_).who;
}

} // namespace libpool
