/// What a dispatcher knows of its workers.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>

namespace libpool {

namespace {

/// Links `what` into `list` if it is to be there, or takes it out.
template <class List, class T, class Hook>
void keep_linked(bool wanted, List& list, T& what, const Hook& hook) {
  if (wanted == hook.is_linked())
    return;
  if (wanted)
    list.push_back(what);
  else
    list.erase(list.iterator_to(what));
}

/// Whether something may be bound to it, if only to be sent later.
bool is_well(const worker& who) noexcept {
  return who.is == worker::condition::serving && who.hanging == 0
         && who.window > 0 && !who.rest_hook.is_linked();
}

/// Whether it may be sent something.
bool is_fit(const worker& who) noexcept {
  return is_well(who) && !who.pauses;
}

} // namespace

// -- facts about workers ------------------------------------------------------

void dispatcher::joined(worker& who, instant now) {
  if (who.is != worker::condition::unknown)
    return;
  who.is = worker::condition::serving;
  who.pauses = false;
  next_number_ = std::max(
    next_number_, worker_number{static_cast<std::uint64_t>(who.number) + 1});
  members_.insert(who);
  serving_seats_ += who.seats;
  if (has_flows_ && who.seats > 1)
    sort_by_room();
  policy_.placement->joined(who, now);
  if (policy_.stealing != nullptr)
    policy_.stealing->joined(who, now);
  refresh(who, now);
  if (who.has_nobody)
    note_departure(who);
}

void dispatcher::retired(worker& who, instant now) {
  if (who.is != worker::condition::serving)
    return;
  who.is = worker::condition::leaving;
  note_departure(who);
  serving_seats_ -= who.seats;
  take_off(who, now);
  dismiss_if_done(who, now);
}

void dispatcher::left(worker& who, instant now) {
  if (who.is == worker::condition::unknown || who.is == worker::condition::gone)
    return;
  auto was_serving = who.is == worker::condition::serving;
  who.is = worker::condition::gone;
  if (was_serving) {
    note_departure(who);
    serving_seats_ -= who.seats;
    take_off(who, now);
  }
  dismiss_if_done(who, now);
}

void dispatcher::paused(worker& who, instant now) {
  who.pauses = true;
  refresh(who, now);
}

void dispatcher::resumed(worker& who, instant now) {
  who.pauses = false;
  refresh(who, now);
}

/// Offers the worker, or does not, as it is now.
void dispatcher::refresh(worker& who, instant now) {
  auto fit = is_fit(who);
  auto has_room = fit && has_place(who);
  if (has_flows_)
    count_seats(who, is_well(who), now);
  auto eligible = is_eager() ? is_well(who) : has_room;
  if (has_flows_)
    keep_by_room(who, eligible && sorts_by_room_);
  if (eligible != who.offered) {
    who.offered = eligible;
    if (eligible) {
      ++offered_;
      policy_.placement->offered(who, now);
      unbar_for(who, now);
    } else {
      --offered_;
      policy_.placement->withdrawn(who, now);
    }
  }
  if (!is_eager())
    return;
  keep_linked(has_room && !who.deque.empty(), ready_, who, who.ready_hook);
  if (policy_.stealing != nullptr)
    keep_idle(who, fit && who.in_flight == 0, now);
}

/// Takes back all that the worker has not begun.
void dispatcher::take_off(worker& who, instant now) {
  if (who.is != worker::condition::serving && who.rest_hook.is_linked())
    resting_.erase(resting_.iterator_to(who));
  unassign_all(who, now);
  if (who.is != worker::condition::gone)
    for (auto& what : who.mailbox)
      if (what.is == task::condition::sent)
        recall(what, {});
  refresh(who, now);
}

/// Has all that is bound to the worker, and not sent, wait for others.
void dispatcher::unassign_all(worker& who, instant now) {
  while (!who.deque.empty()) {
    auto& what = *who.deque.begin();
    unassign(what, now);
    enter(what, task::condition::waiting);
    policy_.order->added(what, now);
    if (abandoned_)
      drop(what, outcome::failed, *abandoned_, now);
  }
}

void dispatcher::dismiss_if_done(worker& who, instant now) {
  if (who.in_flight > 0
      || (who.is != worker::condition::leaving
          && who.is != worker::condition::gone))
    return;
  who.is = worker::condition::unknown;
  members_.erase(members_.iterator_to(who));
  policy_.placement->left(who, now);
  if (policy_.stealing != nullptr)
    policy_.stealing->left(who, now);
  unbar_unplaced(now);
  decisions_.emplace_back(decision::kind::dismiss, nullptr, &who);
}

// -- workers that do badly ----------------------------------------------------

/// The worker does not come to an end with a task: nothing waits for that.
void dispatcher::hang(worker& who, instant now) {
  ++who.hanging;
  take_off(who, now);
}

/// A failure counts as the slowest of the worker's recent tasks, so that
/// failing fast does not attract work. A pool sees to that itself.
void dispatcher::rest_after(const task& what, worker& who, instant now) {
  auto until = later(what.started, who.slowest_lately);
  if (until <= now || who.is != worker::condition::serving || who.is_pool)
    return;
  rest(who,
       who.rest_hook.is_linked() ? std::max(until, who.rests_until) : until);
}

void dispatcher::rest(worker& who, instant until) {
  if (who.rest_hook.is_linked())
    resting_.erase(resting_.iterator_to(who));
  who.rests_until = until;
  resting_.insert(who);
}

void dispatcher::rested(worker& who, instant until, instant now) {
  if (who.is != worker::condition::serving)
    return;
  rest(who, until);
  refresh(who, now); // nothing is bound to it again
  unassign_all(who, now);
  refresh(who, now);
}

void dispatcher::roomy(worker& who, instant now) {
  if (!who.rest_hook.is_linked())
    return;
  resting_.erase(resting_.iterator_to(who));
  refresh(who, now);
}

} // namespace libpool
