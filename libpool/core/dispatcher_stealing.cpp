/// How a dispatcher has idle workers take over what is bound to others.

#include "libpool/core/dispatcher.hpp"

#include <cassert>
#include <utility>

namespace libpool {

namespace {

/// So many of those that have found nothing to take are asked once more when
/// there is something new. About what may run on some workers only, these are
/// asked.
constexpr std::size_t most_failures = 4;

} // namespace

/// Has the worker be among those that have nothing to do, or not.
void dispatcher::keep_dry(worker& who, bool wanted) {
  if (wanted == who.dry_hook.is_linked())
    return;
  if (wanted) {
    who.was_asked = false;
    dry_.push_back(who);
  } else {
    dry_.erase(dry_.iterator_to(who));
  }
}

/// Something is bound to a worker that has other things to do.
void dispatcher::look_again(const task& what) {
  if (dry_.empty())
    return;
  looks_again_ = true;
  if (what.where == nullptr || what.where->loose
      || dry_.size() <= most_failures)
    return;
  for (auto number : what.where->only)
    if (auto* who = offered(number); who != nullptr && who->in_flight == 0)
      summoned_.push_back(number);
}

/// Lets those that have nothing take over what is bound to others: those that
/// have run dry since the last time, and, if there is something new, some of
/// those that have been dry for longest. Returns whether anything was taken.
bool dispatcher::steal(instant now) {
  auto result = false;
  auto has_work = [this] { return policy_.stealing->has_work(); };
  std::size_t failures = 0;
  auto i = std::exchange(looks_again_, false) ? dry_.begin() : dry_.end();
  while (i != dry_.end() && i->was_asked && failures < most_failures
         && has_work()) {
    auto& thief = *i++;
    if (steal_for(thief, now))
      result = true;
    else
      ++failures;
  }
  for (auto number : std::exchange(summoned_, {}))
    if (auto* who = offered(number); who != nullptr && who->was_asked)
      result = steal_for(*who, now) || result; // else it has its turn yet
  for (i = has_work() ? first_unasked() : dry_.end();
       i != dry_.end() && has_work();) {
    auto& thief = *i++;
    result = steal_for(thief, now) || result;
  }
  return result;
}

/// Those that have not been asked are at the end.
dispatcher::dry_workers::iterator dispatcher::first_unasked() {
  auto result = dry_.end();
  while (result != dry_.begin() && !std::prev(result)->was_asked)
    --result;
  return result;
}

/// Returns whether the worker has taken something.
bool dispatcher::steal_for(worker& thief, instant now) {
  if (!thief.dry_hook.is_linked())
    return false;
  thief.was_asked = true;
  auto* what = policy_.stealing->choose(thief, now);
  if (what == nullptr)
    return false;
  assert(what->where == nullptr || what->where->loose
         || permits(*what->where, thief.number));
  auto& victim = *what->on;
  unassign(*what, now);
  refresh(victim, now);
  ++what->steals;
  ++steals_;
  ++thief.record.stolen;
  assign(*what, thief, now);
  if (!thief.deque.empty() && thief.in_mailbox < thief.window)
    send_next(thief, now);
  return true;
}

} // namespace libpool
