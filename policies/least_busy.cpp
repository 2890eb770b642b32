#include "libpool/policies/least_busy.hpp"

#include <algorithm>
#include <optional>

namespace libpool {

namespace {

duration busy(const estimate_record& who) noexcept {
  return who.account + who.charged;
}

} // namespace

least_busy::least_busy(const estimate_options& options)
  : estimating_placement(options) {
  // nop
}

void least_busy::joined(worker& who, instant now) noexcept {
  std::optional<duration> smallest;
  for (auto* some : {&offered_, &others_})
    if (const auto* first = first_of(*some, now))
      smallest = std::min(smallest.value_or(duration::max()), busy(*first));
  estimating_placement::joined(who, now);
  auto& its = record_of(who);
  its.account = smallest.value_or(duration{0});
  sort_in(its, false);
}

void least_busy::left(worker& who, instant now) noexcept {
  auto& its = record_of(who);
  place_of(its).erase(place_of(its).iterator_to(its));
  estimating_placement::left(who, now);
}

/// Where it is sorted: among those that are offered, or the others.
least_busy::sorted& least_busy::place_of(const record& who) noexcept {
  return who.group == 0 ? others_ : offered_;
}

void least_busy::sort_in(record& who, bool is_offered) noexcept {
  if (who.hook.is_linked())
    place_of(who).erase(place_of(who).iterator_to(who));
  who.group = is_offered ? 1 : 0;
  who.key = busy(who).count();
  place_of(who).insert(who);
}

void least_busy::entered(record& who) noexcept {
  sort_in(who, true);
}

void least_busy::withdrew(record& who) noexcept {
  sort_in(who, false);
}

void least_busy::changed(record& who) noexcept {
  sort_in(who, who.group != 0);
}

/// Has it sorted in by what is known now.
void least_busy::refresh(record& who, instant now) noexcept {
  if (overran(who, now))
    changed(who);
}

/// The one with the smallest sum: keys only ever turn out to be larger.
least_busy::record* least_busy::first_of(sorted& some, instant now) noexcept {
  while (!some.empty() && overran(*some.begin(), now))
    changed(*some.begin());
  return some.empty() ? nullptr : &*some.begin();
}

worker* least_busy::best(instant now) noexcept {
  auto* first = first_of(offered_, now);
  return first == nullptr ? nullptr : first->who;
}

worker* least_busy::best_of(const std::vector<worker*>& some,
                            instant now) noexcept {
  for (auto* who : some)
    refresh(record_of(*who), now);
  auto less_busy = [](const worker* x, const worker* y) {
    return smaller_key{}(record_of(*x), record_of(*y));
  };
  return *std::min_element(some.begin(), some.end(), less_busy);
}

} // namespace libpool
