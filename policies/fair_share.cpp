#include "libpool/policies/fair_share.hpp"

#include <algorithm>

namespace libpool {

fair_share::fair_share(const estimate_options& options)
  : estimating_placement(options) {
  // nop
}

void fair_share::entered(record& who) noexcept {
  who.group = 2 * who.running + (who.has_samples() ? 1 : 0);
  who.key = who.charged.count() + who.began;
  if (who.has_samples())
    who.key += who.estimate().count();
  while (groups_.size() <= who.group)
    groups_.emplace_back();
  auto& to = groups_[who.group];
  if (to.members.empty())
    filled_.push_back(to);
  to.members.insert(who);
}

void fair_share::withdrew(record& who) noexcept {
  auto& from = groups_[who.group];
  from.members.erase(from.members.iterator_to(who));
  if (from.members.empty())
    filled_.erase(filled_.iterator_to(from));
}

void fair_share::changed(record& who) noexcept {
  if (!who.hook.is_linked())
    return;
  withdrew(who);
  entered(who);
}

/// When it would have ended another task.
fair_share::wide fair_share::end_on(const record& who,
                                    instant now) const noexcept {
  auto moment = static_cast<wide>(now.time_since_epoch().count());
  auto running = static_cast<wide>(who.running);
  auto common = common_estimate().value_or(duration{0});
  return who.key + (1 - running) * moment
         + (who.has_samples() ? 0 : common.count());
}

bool fair_share::ends_sooner(const record& x, const record& y,
                             instant now) const noexcept {
  auto end_on_x = end_on(x, now);
  auto end_on_y = end_on(y, now);
  return end_on_x != end_on_y ? end_on_x < end_on_y
                              : wins_tie{}(*x.who, *y.who);
}

/// The first one of a group that is not empty, once nobody that has been there
/// for too long is in front: keys only ever turn out to be larger.
fair_share::record& fair_share::first_of(sorted& members,
                                         instant now) noexcept {
  while (overran(*members.begin(), now))
    changed(*members.begin());
  return *members.begin();
}

worker* fair_share::best(instant now) noexcept {
  record* best = nullptr;
  for (auto i = filled_.begin(); i != filled_.end();) {
    auto& each = *i++; // which may be put last, if its only member changes
    auto& first = first_of(each.members, now);
    if (best == nullptr || ends_sooner(first, *best, now))
      best = &first;
  }
  return best == nullptr ? nullptr : best->who;
}

worker* fair_share::best_of(const std::vector<worker*>& some,
                            instant now) noexcept {
  for (auto* who : some)
    if (overran(record_of(*who), now))
      changed(record_of(*who));
  auto sooner = [&](const worker* x, const worker* y) {
    return ends_sooner(record_of(*x), record_of(*y), now);
  };
  return *std::min_element(some.begin(), some.end(), sooner);
}

} // namespace libpool
