/// Which tasks a dispatcher takes.

#include "libpool/core/dispatcher.hpp"

namespace libpool {

void dispatcher::submitted(task& what, instant now) {
  if (what.is != task::condition::unknown)
    return;
  if (closed_)
    return refused(what, *closed_);
  if (has_flows_ && limits_.too_wide == too_wide::refuse && serving_seats_ > 0
      && what.width > serving_seats_)
    return refused(what, errc::too_wide);
  if (objection(what, now) != errc{} && !make_room(what, now))
    return refused(what, objection(what, now));
  accept(what, now);
}

void dispatcher::refused(task& what, errc why) {
  if (what.is != task::condition::unknown)
    return;
  ++ledger_.refused;
  if (has_flows_)
    policy_.order->refused(what);
  decisions_.emplace_back(decision::kind::settle, &what, nullptr,
                          outcome::refused, why);
  decisions_.emplace_back(decision::kind::release, &what, nullptr);
}

/// Why the task cannot wait; errc{} if it can.
errc dispatcher::objection(const task& what, instant now) const noexcept {
  if (auto why = policy_.order->objection(what, now); why != errc{})
    return why;
  auto is_full = ledger_.waiting + ledger_.assigned >= limits_.capacity;
  return is_full ? errc::queue_full : errc{};
}

/// Dispatches, and returns whether the task can be accepted then.
bool dispatcher::make_room(task& what, instant now) {
  dispatch(now);
  what.number = ledger_.accepted + 1; // as if it were accepted
  auto why = objection(what, now);
  if (why == errc{} || could_be_sent(what, now))
    return true;
  if (why != errc::queue_full || limits_.on_overflow == overflow::refuse
      || unsent_.empty())
    return false;
  drop(*unsent_.begin(), outcome::cancelled, errc::queue_full, now);
  return true;
}

/// Whether the task would not have to wait.
bool dispatcher::could_be_sent(const task& what, instant now) {
  if (policy_.order->choose(now) != nullptr)
    return false;
  const auto* to = worker_for(what, now).who;
  if (has_flows_)
    return to != nullptr;
  return to != nullptr && !to->pauses && to->deque.empty()
         && to->in_mailbox < to->window;
}

void dispatcher::accept(task& what, instant now) {
  what.number = ++ledger_.accepted;
  what.accepted = now;
  what.arrived.reset();
  what.crashes = 0;
  what.steals = 0;
  what.booked = nullptr;
  if (what.home && is_eager()
      && members_.find(*what.home, joined_sooner{}) == members_.end())
    ++lost_homes_;
  what.rank = policy_.order->rank(what);
  if (what.deadline != never)
    due_.insert(what);
  if (what.where != nullptr && !what.where->loose) {
    has_strict_ = true;
    if (is_lost(*what.where))
      departed_.push_back(what.where->only.front());
  }
  enter(what, task::condition::waiting);
  auto is_first = is_eager() && policy_.order->choose(now) == nullptr;
  auto to = is_first ? worker_for(what, now) : choice{};
  if (to.who == nullptr)
    return policy_.order->added(what, now);
  pick(what, to, now);
  assign(what, *to.who, now);
}

} // namespace libpool
