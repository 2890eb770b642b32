/// How a dispatcher accepts or refuses new tasks.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>

namespace libpool {

/// Accepts the task, which has its number.
inline void dispatcher::admit(task& task, instant came) {
  ++tasks_.books.accepted;
  task.accepted = came;
  task.started = never;
  task.has_arrived = false;
  task.was_held = false;
  task.forget_attempt();
  if (task.has_notes()) {
    auto& notes = task.own_notes();
    notes.crashes = notes.errors = notes.steals = notes.awaited = 0;
    notes.ran_with = nullptr;
  }
  task.rank = policy_.order->rank(task);
  watch_.accepted(task);
}

[[gnu::always_inline]] inline void dispatcher::accept(task& task, instant now,
                                                      instant came) {
  task.number = ++numbers_;
  admit(task, came);
  if (task.has_notes())
    note_places(task);
  tasks_.enter(task, task::condition::waiting);
  if (gates_.is_on())
    gates_.accepted(task, now);
  if (runs_.is_on() && joins(task, now))
    return;
  if (!needs_.is_eager || !assign_at_once(task, now))
    policy_.order->added(task, now);
  if (leases_.may_overtake(task))
    leases_.for_each_overtaken(task, needs_.has_flows,
                               [this](auto& each) { recall(each, {}); });
}

void dispatcher::submitted(task& task, instant now, instant came) {
  if (task.is != task::condition::unknown)
    return;
  if (auto* waiter = task.has_notes() && is_asked_for(task) ? waits_.began(task)
                                                            : nullptr) {
    take_followers_back(*waiter, waiter->followers);
    look_whether_waits(*waiter, now);
  }
  if (closed_)
    return refuse(task, *closed_);
  if (is_bounded_) {
    if (refuses_wide_ && workers_.seats.is_too_wide(task))
      return refuse(task, errc::too_wide);
    if (objection(task, now) != errc{} && !make_room(task, now))
      return refuse(task, objection(task, now));
  }
  accept(task, now, came);
}

void dispatcher::submitted_in_place(task& task, instant now, instant came) {
  if (task.is != task::condition::unknown)
    return;
  capacity_.unreserve(1);
  if (closed_)
    return refused(task, *closed_);
  if (refuses_wide_ && workers_.seats.is_too_wide(task))
    return refused(task, errc::too_wide);
  auto why = objection_of_order(task, now);
  if (why != errc{} && !make_room(task, now))
    return refused(task, why);
  accept(task, now, came);
}

/// Refuses the task, for which a handler may wait.
void dispatcher::refuse(task& task, errc why) {
  if (is_asked_for(task))
    waits_.settled(task);
  refused(task, why);
}

void dispatcher::refused(task& task, errc why) {
  if (task.is != task::condition::unknown)
    return;
  ++tasks_.books.refused;
  record_.refusals.note(why);
  if (is_asked_for(task)) {
    auto& notes = task.own_notes();
    notes.asker = nullptr;
    notes.asking = nullptr;
  }
  if (needs_.has_flows)
    policy_.order->refused(task);
  decisions_.emplace_back(decision::kind::end, &task, nullptr, outcome::refused,
                          why);
}

/// Returns the reason why the task cannot wait; errc{} if it can.
errc dispatcher::objection(const task& task, instant now) const noexcept {
  if (auto why = objection_of_order(task, now); why != errc{})
    return why;
  return capacity_.is_full() && task.deadline > now ? errc::queue_full : errc{};
}

errc dispatcher::objection_of_order(const task& task,
                                    instant now) const noexcept {
  if (task.deadline <= now)
    return {}; // is cancelled at once
  return policy_.order->objection(task, now);
}

/// Dispatches, and drops the oldest unsent task if that is needed and
/// permitted. Returns whether the task can then be accepted.
bool dispatcher::make_room(task& task, instant now) {
  dispatch(now);
  auto why = objection(task, now);
  if (why == errc{} || could_be_sent(task, now))
    return true;
  // Workers that have room get tasks that are about to come back.
  auto to_come = are_taken_back_ && !needs_.is_eager
                   ? std::min(workers_.offered(), leases_.followers())
                   : 0;
  if (why == errc::queue_full && capacity_.room(to_come) > 0)
    return true;
  if (why != errc::queue_full || !capacity_.drops_oldest()
      || tasks_.oldest_unsent() == nullptr)
    return false;
  drop(*tasks_.oldest_unsent(), outcome::cancelled, errc::queue_full, now);
  return true;
}

/// Whether the task, which was not submitted, would be sent to a worker at
/// once: no earlier task waits for a worker, and the worker of the task has
/// room.
bool dispatcher::could_be_sent(task& task, instant now) {
  if (next_waiting(now) != nullptr
      || (gates_.is_on() && !gates_.would_open(task.flow.key(), now)))
    return false;
  task.number = numbers_ + 1; // as if it were accepted
  task.accepted = now;
  task.rank = policy_.order->rank(task);
  const auto* worker = chooser_.choose(task, now).worker;
  return worker != nullptr
         && (needs_.has_flows || (worker->has_room && worker->deque.empty()));
}

/// Notes where the task, which was just accepted, is to run.
void dispatcher::note_places(const task& task) {
  const auto& notes = task.notes();
  if (needs_.is_eager && notes.home && !workers_.has(*notes.home))
    ++record_.lost_homes;
  if (notes.where != nullptr)
    aside_.accepted(*notes.where);
}

} // namespace libpool
