#include "libpool/policies/placement/fair_share.hpp"

#include <algorithm>

namespace libpool {

namespace {

std::size_t group_of(const estimate_record& record) noexcept {
  return 2 * record.running + (record.has_samples() ? 1 : 0);
}

} // namespace

fair_share::fair_share(const estimate_options& options)
  : estimating_placement(options) {
  // nop
}

void fair_share::entered(estimate_record& record) noexcept {
  record.group = group_of(record);
  record.key = record.charged.count() + record.began;
  if (record.has_samples())
    record.key += record.estimate().count();
  while (groups_.size() <= record.group)
    groups_.emplace_back();
  auto& members = groups_[record.group];
  if (members.members.empty())
    filled_.push_back(members);
  members.members.put(*record.worker, record.key);
}

void fair_share::withdrew(estimate_record& record) noexcept {
  auto& members = groups_[record.group];
  members.members.remove(*record.worker);
  if (members.members.empty())
    filled_.erase(filled_.iterator_to(members));
}

/// Updates the position of the worker. A worker that stays in its group keeps
/// its entry in the heap.
void fair_share::changed(estimate_record& record) noexcept {
  if (record.worker->heap_slot == worker::in_no_heap)
    return;
  if (record.group != group_of(record))
    withdrew(record);
  entered(record);
}

/// Returns the estimated time at which the worker would end a new task.
fair_share::wide fair_share::end_on(const estimate_record& record,
                                    instant now) const noexcept {
  auto moment = static_cast<wide>(now.time_since_epoch().count());
  auto running = static_cast<wide>(record.running);
  auto common = common_estimate().value_or(duration{0});
  return record.key + (1 - running) * moment
         + (record.has_samples() ? 0 : common.count());
}

bool fair_share::ends_sooner(const estimate_record& x, const estimate_record& y,
                             instant now) const noexcept {
  auto end_on_x = end_on(x, now);
  auto end_on_y = end_on(y, now);
  return end_on_x != end_on_y ? end_on_x < end_on_y
                              : wins_tie{}(*x.worker, *y.worker);
}

/// Returns the first worker of a group, which must not be empty. Charges of the
/// first worker are updated until they are correct. Updates only make keys
/// larger, so the other workers need no update.
estimate_record& fair_share::first_of(const sorted& members,
                                      instant now) noexcept {
  while (overran(record_of(members.top()), now))
    changed(record_of(members.top()));
  return record_of(members.top());
}

worker* fair_share::best(instant now) noexcept {
  estimate_record* best = nullptr;
  for (const auto& each : filled_) {
    auto& first = first_of(each.members, now);
    if (best == nullptr || ends_sooner(first, *best, now))
      best = &first;
  }
  return best == nullptr ? nullptr : best->worker;
}

worker* fair_share::best_of(const std::vector<worker*>& some,
                            instant now) noexcept {
  for (auto* worker : some)
    if (overran(record_of(*worker), now))
      changed(record_of(*worker));
  auto sooner = [&](const worker* x, const worker* y) {
    return ends_sooner(record_of(*x), record_of(*y), now);
  };
  return *std::min_element(some.begin(), some.end(), sooner);
}

} // namespace libpool
