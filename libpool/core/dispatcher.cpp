#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace libpool {

dispatcher::dispatcher(composition how, const limits& within)
  : policy_(std::move(how)), limits_(within) {
  assert(policy_.order != nullptr && policy_.placement != nullptr);
  measured_ = policy_.placement->measures();
  if (!is_eager())
    policy_.stealing = nullptr; // nothing waits at a worker
  follows_starts_ = measured_ || policy_.stealing != nullptr;
  is_late_ = !is_eager();
  takes_turns_ = is_late_ && policy_.order->is_by_arrival();
  has_flows_ = policy_.order->has_flows();
  assert(!has_flows_ || !is_eager());
}

dispatcher::~dispatcher() {
  for (auto [number, where] : awaited_)
    where->barred.clear();
  for (auto* where : awaited_by_many_)
    where->barred.clear();
}

bool dispatcher::is_eager() const noexcept {
  return policy_.assignment == assignment::eager;
}

// -- sending ------------------------------------------------------------------

void dispatcher::dispatch(instant now) {
  if (next_tick() <= now)
    ticked(now);
  if (!departed_.empty())
    fail_lost(now);
  bind_and_send(now);
  while (policy_.stealing != nullptr && steal(now))
    bind_and_send(now); // what waits may have found somebody
}

void dispatcher::bind_and_send(instant now) {
  while (ledger_.waiting > 0 && offered_ > 0) {
    auto* what = policy_.order->choose(now);
    if (what == nullptr)
      break;
    if (auto to = worker_for(*what, now); to.who != nullptr)
      hand_out(*what, to, now);
    else if (gathers_seats(*what))
      break; // nobody overtakes it
    else
      bar(*what, to.is_unplaced, now);
  }
  while (!ready_.empty())
    send_next(ready_.front(), now);
}

/// Binds the task, which waits in the order, to a worker.
void dispatcher::hand_out(task& what, const choice& to, instant now) {
  if (has_flows_)
    what.seats = seats_for(what);
  pick(what, to, now);
  policy_.order->dispatched(what, now);
  assign(what, *to.who, now);
  if (what.where != nullptr)
    unbar_next(what, now);
  unbar_next_of_key(what, now);
}

/// Tells the placement if its choice is taken up.
void dispatcher::pick(const task& what, const choice& to, instant now) {
  if (to.is_picked)
    policy_.placement->picked(*to.who, what, now);
}

/// Binds the task, which is in no queue, to a worker; where tasks are bound
/// late it is sent at once.
void dispatcher::assign(task& what, worker& to, instant now) {
  what.on = &to;
  to.chosen = ++choices_;
  ++to.in_flight;
  if (is_eager()) {
    enter(what, task::condition::assigned);
    to.deque.insert(to.deque.end(), what);
    if (policy_.stealing != nullptr)
      policy_.stealing->assigned(what, now);
    refresh(to, now);
  } else {
    send(what, now);
  }
  policy_.placement->assigned(to, what, now);
  presume_start(to, now);
}

/// Takes the task out of its worker's deque.
void dispatcher::unassign(task& what, instant now) {
  auto& who = *what.on;
  if (policy_.stealing != nullptr)
    policy_.stealing->parted(what, now);
  who.deque.erase(who.deque.iterator_to(what));
  --who.in_flight;
  policy_.placement->parted(who, what, now);
  what.on = nullptr;
  unbar_unplaced(now);
}

/// Sends the first of those that are bound to the worker.
void dispatcher::send_next(worker& to, instant now) {
  send(*to.deque.begin(), now);
  presume_start(to, now);
}

/// Sends the task to the worker that it is bound to.
void dispatcher::send(task& what, instant now) {
  auto& to = *what.on;
  if (what.place_hook.is_linked()) {
    if (policy_.stealing != nullptr)
      policy_.stealing->sent(what, now);
    to.deque.erase(to.deque.iterator_to(what));
  }
  enter(what, task::condition::sent);
  what.recalled = false;
  to.mailbox.push_back(what);
  ++to.in_mailbox;
  if (has_flows_)
    take_seats(what, to);
  refresh(to, now);
  decisions_.emplace_back(decision::kind::send, &what, &to);
}

// -- facts about tasks --------------------------------------------------------

void dispatcher::started(task& what, instant now) {
  if (what.is == task::condition::running) { // it had been skipped
    what.started = now;
    presume_start(*what.on, what, now);
  }
  if (what.is != task::condition::sent)
    return;
  begin(what, now);
  if (what.unwanted != errc{})
    cancelled(what, what.unwanted, now);
}

void dispatcher::begin(task& what, instant now) {
  what.started = now;
  presume_start(*what.on, what, now);
  enter(what, task::condition::running);
}

/// A worker is presumed to begin with the first of its mailbox: some tell that
/// only when they have ended.
void dispatcher::presume_start(worker& who, instant now) {
  if (follows_starts_ && !who.mailbox.empty()
      && who.mailbox.front().began == never)
    presume_start(who, who.mailbox.front(), now);
}

void dispatcher::presume_start(worker& who, task& what, instant now) {
  if (!follows_starts_ || what.began == now)
    return;
  what.began = now;
  if (measured_)
    policy_.placement->began(who, what, now);
  if (policy_.stealing != nullptr)
    policy_.stealing->began(what, now);
}

duration dispatcher::cost_of(const task& what, instant now) const noexcept {
  switch (*measured_) {
    case measure::cpu_time:
      return what.cpu_time;
    case measure::wait_time:
      return what.started - what.accepted;
    default:
      return now - what.started;
  }
}

void dispatcher::finished(task& what, ending how, instant now) {
  if (what.is == task::condition::sent)
    begin(what, now); // has ended already: its worker does not hang
  if (what.is != task::condition::running
      && what.is != task::condition::overdue)
    return;
  auto& who = *what.on;
  auto service = now - what.started;
  if (measured_)
    policy_.placement->measured(who, what, how, cost_of(what, now), now);
  part(what, handler_run{service, how}, now);
  who.record.busy += service;
  who.record.slowest = std::max(who.record.slowest, service);
  who.record.waits.record(what.started - what.accepted);
  if (how != ending::interrupted)
    ++(how == ending::completed ? who.record.completed : who.record.failed);
  if (how == ending::completed)
    who.slowest_lately = std::max(service,
                                  who.slowest_lately - who.slowest_lately / 8);
  else if (how == ending::crashed)
    rest_after(what, who, now);
  if (what.is == task::condition::overdue)
    release(what);
  else if (what.unwanted != errc{})
    drop(what, outcome::cancelled, what.unwanted, now);
  else if (how == ending::completed)
    drop(what, outcome::completed, {}, now);
  else if (how == ending::interrupted)
    requeue(what, now);
  else
    crashed(what, now);
  refresh(who, now);
  dismiss_if_done(who, now);
}

void dispatcher::returned(task& what, instant now) {
  if (what.is != task::condition::sent)
    return;
  auto& who = *what.on;
  if (!what.recalled)
    left(who, now);
  part(what, std::nullopt, now);
  if (what.unwanted != errc{})
    drop(what, outcome::cancelled, what.unwanted, now);
  else
    requeue(what, now);
  refresh(who, now);
  dismiss_if_done(who, now);
}

void dispatcher::unhandled(task& what, instant now) {
  if (what.is != task::condition::sent && what.is != task::condition::running
      && what.is != task::condition::overdue)
    return;
  auto& who = *what.on;
  part(what, std::nullopt, now);
  what.started = never;
  if (what.is == task::condition::overdue)
    release(what);
  else if (what.unwanted != errc{})
    drop(what, outcome::cancelled, what.unwanted, now);
  else
    requeue(what, now);
  refresh(who, now);
  dismiss_if_done(who, now);
}

void dispatcher::kept(task& what) {
  if (what.is == task::condition::sent && what.unwanted == errc{})
    what.recalled = false;
}

void dispatcher::cancelled(task& what, errc why, instant now) {
  switch (what.is) {
    case task::condition::waiting:
    case task::condition::assigned:
      return drop(what, outcome::cancelled, why, now);
    case task::condition::sent:
      return recall(what, why);
    case task::condition::running:
      what.unwanted = why;
      settle(what, outcome::cancelled, why);
      enter(what, task::condition::overdue);
      if (hangs(what))
        hang(*what.on, now);
      return;
    default:
      return;
  }
}

/// Takes the task from its worker, where its handler has run, if it has begun.
void dispatcher::part(task& what, std::optional<handler_run> run, instant now) {
  auto& who = *what.on;
  who.mailbox.erase(who.mailbox.iterator_to(what));
  --who.in_mailbox;
  --who.in_flight;
  if (hangs(what))
    --who.hanging;
  policy_.placement->parted(who, what, now);
  auto took = run ? std::optional{run->took} : std::nullopt;
  if (policy_.stealing != nullptr)
    policy_.stealing->ended(
      what, run && run->how == ending::completed ? took : std::nullopt, now);
  if (has_flows_) {
    free_seats(what, who);
    policy_.order->parted(what, took, now);
  }
  what.on = nullptr;
  what.began = never;
  presume_start(who, now);
  unbar_unplaced(now);
}

/// Decides what becomes of a task whose handler has not survived it.
void dispatcher::crashed(task& what, instant now) {
  ++what.crashes;
  auto may_retry = what.repeatable && !abandoned_;
  if (limits_.poison_after > 0 && what.crashes >= limits_.poison_after)
    drop(what, outcome::failed, errc::poisoned, now);
  else if (may_retry && what.crashes <= limits_.retries)
    requeue(what, now);
  else if (may_retry && limits_.retries > 0)
    drop(what, outcome::failed, errc::retries_exhausted, now);
  else
    drop(what, outcome::failed, errc::worker_crashed, now);
}

/// Has the task wait again, in the place that its number gives it.
void dispatcher::requeue(task& what, instant now) {
  if (abandoned_)
    return drop(what, outcome::failed, *abandoned_, now);
  what.recalled = false;
  enter(what, task::condition::waiting);
  policy_.order->added(what, now);
}

/// Settles the task, wherever it is but in a mailbox, and forgets it.
void dispatcher::drop(task& what, outcome how, errc why, instant now) {
  if (what.is == task::condition::waiting)
    take_from_queue(what, now);
  if (what.is == task::condition::assigned) {
    auto& who = *what.on;
    unassign(what, now);
    refresh(who, now);
  }
  settle(what, how, why);
  release(what);
}

void dispatcher::recall(task& what, errc why) {
  if (what.unwanted == errc{})
    what.unwanted = why;
  if (std::exchange(what.recalled, true))
    return;
  decisions_.emplace_back(decision::kind::recall, &what, what.on);
}

// -- facts about the world ----------------------------------------------------

void dispatcher::ticked(instant now) {
  while (!due_.empty() && due_.begin()->deadline <= now) {
    auto& what = *due_.begin();
    due_.erase(due_.begin());
    cancelled(what, errc::deadline_exceeded, now);
  }
  if (policy_.stealing != nullptr && policy_.stealing->next_tick() <= now)
    policy_.stealing->ticked(now);
  while (!resting_.empty() && resting_.begin()->rests_until <= now) {
    auto& who = *resting_.begin();
    resting_.erase(resting_.begin());
    refresh(who, now);
  }
}

void dispatcher::closed(errc why) {
  if (!closed_)
    closed_ = why;
}

void dispatcher::deserted(errc why, instant now) {
  unbar_all(now);
  while (auto* what = policy_.order->choose(now))
    drop(*what, outcome::failed, why, now);
}

void dispatcher::abandoned(errc why, instant now) {
  closed(why);
  if (abandoned_)
    return;
  abandoned_ = why;
  deserted(why, now);
}

instant dispatcher::next_tick() const noexcept {
  auto result = never;
  if (!due_.empty())
    result = due_.begin()->deadline;
  if (!resting_.empty())
    result = std::min(result, resting_.begin()->rests_until);
  if (idle_ > 0 && policy_.stealing->has_work())
    result = std::min(result, policy_.stealing->next_tick());
  return result;
}

// -- the books ----------------------------------------------------------------

void dispatcher::settle(task& what, outcome how, errc why) {
  if (what.due_hook.is_linked())
    due_.erase(due_.iterator_to(what));
  if (how == outcome::completed)
    ++ledger_.completed;
  else
    ++(how == outcome::failed ? ledger_.failed : ledger_.cancelled);
  decisions_.emplace_back(decision::kind::settle, &what, what.on, how, why);
}

/// Forgets the task, which is settled and nowhere.
void dispatcher::release(task& what) {
  enter(what, task::condition::unknown);
  what.recalled = false;
  what.unwanted = {};
  decisions_.emplace_back(decision::kind::release, &what, nullptr);
}

void dispatcher::enter(task& what, task::condition next) noexcept {
  auto is_unsent = [](task::condition which) {
    return which == task::condition::waiting
           || which == task::condition::assigned;
  };
  if (auto* count = count_of(what.is))
    --*count;
  what.is = next;
  if (auto* count = count_of(what.is))
    ++*count;
  if (limits_.on_overflow != overflow::drop_oldest
      || is_unsent(next) == what.age_hook.is_linked())
    return;
  if (is_unsent(next))
    unsent_.insert(unsent_.end(), what);
  else
    unsent_.erase(unsent_.iterator_to(what));
}

/// Where the ledger counts tasks in this condition; nullptr if it does not.
std::uint64_t* dispatcher::count_of(task::condition which) noexcept {
  switch (which) {
    case task::condition::waiting:
      return &ledger_.waiting;
    case task::condition::assigned:
      return &ledger_.assigned;
    case task::condition::sent:
      return &ledger_.sent;
    case task::condition::running:
      return &ledger_.running;
    default:
      return nullptr;
  }
}

} // namespace libpool
