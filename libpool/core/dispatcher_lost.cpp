/// What a dispatcher does with tasks that no worker will ever run: all those
/// that they may run on have left.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <utility>

namespace libpool {

/// Whether all workers that it names have been there, and serve no more, or
/// have nobody to serve.
bool dispatcher::is_lost(const restriction& where) const {
  auto serves = [this](worker_number number) {
    auto i = members_.find(number, joined_sooner{});
    return i != members_.end() && i->is == worker::condition::serving
           && !i->has_nobody;
  };
  return !where.loose && !where.only.empty() && where.only.back() < next_number_
         && std::none_of(where.only.begin(), where.only.end(), serves);
}

/// The worker serves no more, or has nobody: at the next dispatch it is looked
/// for tasks that wait for it alone.
void dispatcher::note_departure(const worker& who) {
  if (has_strict_)
    departed_.push_back(who.number);
}

/// Fails tasks that nobody may run any more, as far as they have been set
/// aside, or nobody is there who would have them looked at.
void dispatcher::fail_lost(instant now) {
  for (auto number : std::exchange(departed_, {}))
    fail_lost(number, now);
  if (offered_ > 0)
    return;
  while (auto* what = policy_.order->choose(now))
    bar(*what, what->where == nullptr || what->where->loose, now);
}

void dispatcher::fail_lost(worker_number number, instant now) {
  std::vector<restriction*> lost;
  for (auto i = awaited_.lower_bound({number, nullptr});
       i != awaited_.end() && i->first == number; ++i)
    if (is_lost(*i->second))
      lost.push_back(i->second);
  for (auto* where : awaited_by_many_)
    if (permits(*where, number) && is_lost(*where))
      lost.push_back(where);
  for (auto* where : lost)
    while (!where->barred.empty())
      drop(*where->barred.begin(), outcome::failed, errc::worker_down, now);
}

} // namespace libpool
