#include "libpool/policies/least_busy.hpp"

#include <algorithm>
#include <optional>

namespace libpool {

namespace {

duration busy(const estimate_record& who) noexcept {
  return who.account + who.charged;
}

} // namespace

least_busy::least_busy(const placement_options& options) : estimating(options) {
  // nop
}

void least_busy::joined(worker& who, instant now) noexcept {
  std::optional<duration> smallest;
  for (auto* other : members()) {
    refresh(*other, now);
    smallest = std::min(smallest.value_or(duration::max()), busy(*other));
  }
  estimating::joined(who, now);
  record_of(who).account = smallest.value_or(duration{0});
}

void least_busy::entered(record& who) noexcept {
  who.key = busy(who).count();
  offered_.insert(who);
}

void least_busy::withdrew(record& who) noexcept {
  offered_.erase(offered_.iterator_to(who));
}

void least_busy::changed(record& who) noexcept {
  if (!who.hook.is_linked())
    return;
  withdrew(who);
  entered(who);
}

/// Has it sorted in by what is known now.
void least_busy::refresh(record& who, instant now) noexcept {
  if (overran(who, now))
    changed(who);
}

worker* least_busy::best(instant now) noexcept {
  if (offered_.empty())
    return nullptr;
  // Keys only ever turn out to be larger.
  while (overran(*offered_.begin(), now))
    changed(*offered_.begin());
  return offered_.begin()->who;
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
