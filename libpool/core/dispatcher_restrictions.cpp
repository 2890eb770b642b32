/// What a dispatcher does with tasks that not every worker may run.

#include "libpool/core/dispatcher.hpp"

#include <iterator>

namespace libpool {

namespace {

/// A restriction to so many workers is found by each of them, others are looked
/// at one by one when a worker is offered: to note thousands of names for a
/// task costs more.
constexpr std::size_t most_noted = 16;

/// Whether somebody has to be offered that it names before it can go.
bool waits_for_somebody(const task& what) noexcept {
  return what.where != nullptr && !what.where->loose
         && !what.where->only.empty();
}

} // namespace

/// Who gets the task, of those that are offered, have room for it and may run
/// it, if anybody.
dispatcher::choice dispatcher::worker_for(const task& what, instant now) {
  if (offered_ == 0 || !fits(what))
    return {};
  if (waits_for_its_key(what))
    return {nullptr, false, true};
  if (auto* home = home_of(what))
    return {home, false};
  auto named = what.where != nullptr ? named_worker_for(what, now) : choice{};
  if (named.who != nullptr || (what.where != nullptr && !what.where->loose))
    return named;
  auto* any = any_worker_for(what, now);
  return {any, true, any == nullptr};
}

/// Whether one of its key that goes before it has been set aside.
bool dispatcher::waits_for_its_key(const task& what) const {
  if (first_of_keys_.empty() || !policy_.placement->keeps_order(what))
    return false;
  auto next = first_of_keys_.lower_bound(&what);
  return next != first_of_keys_.begin() && (*std::prev(next))->key == what.key;
}

/// The home of the task, if that may have it right now.
worker* dispatcher::home_of(const task& what) {
  if (!what.home || !is_eager()
      || (what.where != nullptr && !permits(*what.where, *what.home))
      || policy_.placement->is_tied(what))
    return nullptr;
  return offered(*what.home);
}

worker* dispatcher::any_worker_for(const task& what, instant now) {
  if (fits_on_all(what))
    return policy_.placement->choose(what, now);
  gather_those_with_room(what);
  return candidates_.empty()
           ? nullptr
           : policy_.placement->choose_among(candidates_, what, now);
}

/// One of those that the task names.
dispatcher::choice dispatcher::named_worker_for(const task& what, instant now) {
  gather_named(what);
  if (candidates_.empty())
    return {};
  auto* who = policy_.placement->choose_among(candidates_, what, now);
  return {who, true, who == nullptr};
}

/// Makes candidates of those that the task names: by looking for each, or by
/// going along all workers if it names a good part of them.
void dispatcher::gather_named(const task& what) {
  candidates_.clear();
  auto add = [&](worker& who) {
    if (who.offered && has_room(who, what))
      candidates_.push_back(&who);
  };
  const auto& only = what.where->only;
  if (only.size() * 8 < members_.size()) {
    for (auto number : only)
      if (auto* who = offered(number))
        add(*who);
    return;
  }
  auto i = members_.begin();
  for (auto number : only) {
    while (i != members_.end() && i->number < number)
      ++i;
    if (i == members_.end())
      return;
    if (i->number == number)
      add(*i);
  }
}

/// The worker of that number, if it is offered.
worker* dispatcher::offered(worker_number number) {
  auto i = members_.find(number, joined_sooner{});
  return i != members_.end() && i->offered ? &*i : nullptr;
}

// -- those that wait for somebody in particular -------------------------------

/// Sets the task, which waits, aside until somebody may run it. It fails if
/// nobody ever will.
void dispatcher::bar(task& what, bool is_unplaced, instant now) {
  if (waits_for_somebody(what) && is_lost(*what.where))
    return drop(what, outcome::failed, errc::worker_down, now);
  policy_.order->barred(what, now);
  what.barred = true;
  what.unplaced = is_unplaced || !waits_for_somebody(what);
  if (policy_.placement->keeps_order(what))
    first_of_keys_.insert(&what);
  if (what.unplaced) {
    unplaced_.insert(what);
    if (what.where != nullptr)
      unbar_next(what, now); // which may not have to wait for that
    return;
  }
  ++barred_;
  auto& where = *what.where;
  if (where.barred.empty())
    await(where);
  where.barred.insert(what);
}

void dispatcher::await(restriction& where) {
  if (where.only.size() > most_noted) {
    awaited_by_many_.insert(&where);
    return;
  }
  for (auto number : where.only)
    awaited_.emplace(number, &where);
}

void dispatcher::await_no_more(restriction& where) {
  if (where.only.size() > most_noted) {
    awaited_by_many_.erase(&where);
    return;
  }
  for (auto number : where.only)
    awaited_.erase({number, &where});
}

/// Takes the task, which waits, from where it does.
void dispatcher::take_from_queue(task& what, instant now) {
  auto stood_for_others = !what.barred && what.where != nullptr;
  if (what.barred)
    unbar(what, now);
  if (stood_for_others)
    unbar_next(what, now);
  policy_.order->removed(what, now);
  unbar_next_of_key(what, now);
}

void dispatcher::take_from_barred(task& what) {
  what.barred = false;
  first_of_keys_.erase(&what);
  if (what.unplaced) {
    unplaced_.erase(unplaced_.iterator_to(what));
    return;
  }
  --barred_;
  auto& where = *what.where;
  where.barred.erase(where.barred.iterator_to(what));
  if (where.barred.empty())
    await_no_more(where);
}

/// Has the task queue again.
void dispatcher::unbar(task& what, instant now) {
  take_from_barred(what);
  policy_.order->unbarred(what, now);
}

/// The task goes, of which there is one of each queue at a time: the next one
/// that waits for the same workers follows.
void dispatcher::unbar_next(const task& what, instant now) {
  auto& barred = what.where->barred;
  auto next = barred.lower_bound(what.queue, stands_before{});
  if (next != barred.end() && next->queue == what.queue)
    unbar(*next, now);
}

/// Has the next one of each queue be there: which of them goes, the order says.
void dispatcher::unbar_first_ones(restriction& where, instant now) {
  for (auto i = where.barred.begin(); i != where.barred.end();) {
    auto& what = *i;
    i = where.barred.upper_bound(what.queue, stands_before{});
    unbar(what, now);
  }
}

/// Has those queue again for which this worker may have room.
void dispatcher::unbar_for(const worker& who, instant now) {
  unbar_unplaced(now);
  auto i = awaited_.lower_bound({who.number, nullptr});
  while (i != awaited_.end() && i->first == who.number) {
    auto entry = *i; // which may go, and others of its restriction with it
    unbar_first_ones(*entry.second, now);
    i = awaited_.upper_bound(entry);
  }
  for (auto j = awaited_by_many_.begin(); j != awaited_by_many_.end();) {
    auto* where = *j++; // which may go, and no other
    if (permits(*where, who.number))
      unbar_first_ones(*where, now);
  }
}

void dispatcher::unbar_unplaced(instant now) {
  while (!unplaced_.empty())
    unbar(*unplaced_.begin(), now);
}

/// The task waits no more: the next one of its key may have waited for that.
void dispatcher::unbar_next_of_key(const task& what, instant now) {
  if (first_of_keys_.empty() || !policy_.placement->keeps_order(what))
    return;
  auto next = first_of_keys_.lower_bound(&what);
  if (next != first_of_keys_.end() && (*next)->key == what.key
      && (*next)->unplaced)
    unbar(**next, now);
}

void dispatcher::unbar_all(instant now) {
  unbar_unplaced(now);
  while (!awaited_.empty())
    unbar_first_ones(*awaited_.begin()->second, now);
  while (!awaited_by_many_.empty())
    unbar_first_ones(**awaited_by_many_.begin(), now);
}

} // namespace libpool
