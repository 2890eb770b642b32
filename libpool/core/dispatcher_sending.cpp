/// How a dispatcher chooses workers for tasks, and sends the tasks.

#include "libpool/core/dispatcher.hpp"

#include <cassert>

namespace libpool {

// -- one task
// ------------------------------------------------------------------

/// Sends the task to the worker that it is assigned to.
[[gnu::always_inline]] inline void dispatcher::send(task& task, instant now) {
  auto& worker = *task.on;
  if (task.is == task::condition::assigned) {
    if (policy_.stealing != nullptr)
      policy_.stealing->sent(task, now);
    worker.deque.remove(task);
  }
  tasks_.enter(task, task::condition::sent);
  task.recalled = false;
  watch_.sent(task, now);
  if (runs_.is_on() && run_of(task) != nullptr)
    send_joined(*run_of(task));
  worker.mailbox.push_back(task);
  retries_.sent(task);
  workers_.sent(worker);
  if (task.follows)
    return;
  if (needs_.has_flows)
    workers_.seats.taken(task, worker);
  if (needs_.is_eager)
    tasks_changed(worker, now);
  else
    refresh(worker, now);
  decisions_.emplace_back(decision::kind::send, &task, &worker);
}

/// Assigns the task, which is in no queue, to the worker `worker`. With lazy
/// assignment, sends the task at once.
[[gnu::always_inline]] inline void
dispatcher::assign(task& task, worker& worker, instant now) {
  task.on = &worker;
  if (gates_.is_on())
    gates_.began(task, now);
  worker.chosen = ++choices_;
  ++worker.in_flight;
  if (needs_.is_eager) {
    tasks_.enter(task, task::condition::assigned);
    worker.deque.add(task);
    if (policy_.stealing != nullptr)
      policy_.stealing->assigned(task, now);
    tasks_changed(worker, now);
  } else {
    send(task, now);
  }
  policy_.placement->assigned(worker, task, now);
  presume_start(worker, now);
}

/// Assigns the task, which waits in the order, to the chosen worker.
inline void dispatcher::hand_out(task& task, const chosen_worker& worker,
                                 instant now) {
  if (needs_.has_flows)
    task.take_seats(workers_.seats.seats_for(task), task.attempt().seats_there);
  if (worker.is_picked)
    policy_.placement->picked(*worker.worker, task, now);
  policy_.order->dispatched(task, now);
  assign(task, *worker.worker, now);
  aside_.followed(task, now);
}

/// Assigns the new task to a worker, unless earlier tasks wait for one or no
/// worker can have it. Returns whether it was assigned.
bool dispatcher::assign_at_once(task& task, instant now) {
  auto is_first = next_waiting(now) == nullptr && !watch_.is_hopeless(task, now)
                  && (!gates_.is_on() || gates_.may_go(task, now));
  auto worker = is_first ? chooser_.choose(task, now) : chosen_worker{};
  if (worker.worker == nullptr)
    return false;
  if (worker.is_picked)
    policy_.placement->picked(*worker.worker, task, now);
  assign(task, *worker.worker, now);
  return true;
}

/// Takes the task out of the deque of its worker.
void dispatcher::unassign(task& task, instant now) {
  auto& worker = *task.on;
  if (policy_.stealing != nullptr)
    policy_.stealing->unassigned(task, now);
  worker.deque.remove(task);
  --worker.in_flight;
  policy_.placement->unassigned(worker, task, now);
  task.on = nullptr;
  if (gates_.is_on())
    gates_.ended(task, true, now);
  aside_.free_unplaced(now);
}

// -- further tasks, which are sent together with it
// ----------------------------

/// Whether other tasks may be sent to a worker together with the task, which
/// was just sent. Tasks that could go to other workers at once stay for them.
inline bool dispatcher::may_lead(const task& task) const noexcept {
  const auto& worker = *task.on;
  auto is_only_one = worker.in_mailbox == 1
                     && workers_.seats.places_of(worker) == 1;
  return leases_.are_on() && needs_.leases && worker.takes_leases && is_only_one
         && !task.is_alone && (needs_.is_eager || workers_.offered() == 0);
}

/// Whether the task may be sent to the worker together with the one that is
/// last in its mailbox. Its turn comes at `until` or earlier.
inline bool dispatcher::may_follow(const task& task, const worker& worker,
                                   instant until) const {
  if (task.is_alone || task.deadline <= until
      || watch_.is_hopeless(task, until))
    return false;
  if (!task.has_notes())
    return true;
  const auto& notes = task.notes();
  return !is_asked_for(task)
         && (notes.where == nullptr || permits(*notes.where, worker.number))
         && (needs_.is_eager
             || (!policy_.placement->is_tied(task)
                 && !policy_.placement->keeps_order(task)))
         && notes.width <= worker.mailbox.back().notes().width;
}

/// Returns the waiting task that goes next, if limits and pauses let it go;
/// otherwise nullptr.
inline task* dispatcher::next_open(instant now) {
  auto* next = policy_.order->choose(now);
  if (!gates_.is_on())
    return next;
  for (; next != nullptr && !gates_.is_open(*next, now);
       next = policy_.order->choose(now))
    park(*next, now);
  return gates_.lets_go(next, now) ? next : nullptr;
}

/// Returns the task that goes next. While the pool is overloaded, drops tasks
/// that have waited for long.
inline task* dispatcher::next_to_go(instant now) {
  return shedding_.is_on() ? next_after_shedding(now) : next_open(now);
}

task* dispatcher::next_after_shedding(instant now) {
  while (auto* next = next_open(now)) {
    switch (shedding_.judge(*next, now)) {
      case load_shedding::verdict::in_turn:
        return next;
      case load_shedding::verdict::newest_first:
        return &newest_to_go(*next, now);
      case load_shedding::verdict::dropped:
        sheds_more_ = shed_++ >= most_due_;
        if (sheds_more_)
          return nullptr;
        drop(*next, outcome::cancelled, errc::overloaded, now);
    }
  }
  return nullptr;
}

/// Returns the task that came last, unless its key has an order or its flow has
/// reached its limits: then the next one.
task& dispatcher::newest_to_go(task& next, instant now) {
  auto& newest = *policy_.order->newest(next);
  auto may_go = !policy_.placement->keeps_order(newest)
                && (!gates_.is_on() || gates_.may_go(newest, now));
  return may_go ? newest : next;
}

/// Sends further tasks together with the task, which was just sent: those that
/// go next, as many as take a short time.
void dispatcher::lease_behind(task& first, instant now) {
  if (!may_lead(first))
    return;
  auto& worker = *first.on;
  const auto until = leases_.ends_for(now);
  auto is_shared = !needs_.is_eager || policy_.stealing != nullptr;
  auto waiting = (needs_.is_eager ? worker.deque.size() : tasks_.books.waiting)
                 + 1;
  const auto size = leases_.size_for(is_shared ? waiting : 2 * waiting);
  while (worker.in_mailbox < size) {
    auto* next = !needs_.is_eager       ? next_to_go(now)
                 : worker.deque.empty() ? nullptr
                                        : &worker.deque.front();
    if (next == nullptr || !may_follow(*next, worker, until))
      return;
    tasks_.prefetch();
    leases_.add(*next, worker, now);
    if (needs_.is_eager)
      send(*next, now);
    else
      hand_out(*next, {&worker}, now);
  }
}

// -- all that can be sent
// ------------------------------------------------------

/// Assigns the next task that can be assigned, and returns it; nullptr if there
/// is none.
task* dispatcher::bind_next(instant now) {
  while (tasks_.books.waiting > 0 && workers_.offered() > 0) {
    auto* task = next_to_go(now);
    if (task == nullptr)
      return nullptr;
    if (watch_.is_hopeless(*task, now)) {
      watch_.dropped(*task);
      drop(*task, outcome::cancelled, errc::hopeless, now);
      continue;
    }
    auto worker = chooser_.choose(*task, now);
    if (worker.worker != nullptr) {
      hand_out(*task, worker, now);
      if (leases_.are_on() && !needs_.is_eager)
        lease_behind(*task, now);
      return task;
    }
    if (needs_.has_flows && chooser_.gathers_seats(*task))
      return nullptr; // no task may overtake this task
    set_aside(*task, worker.is_unplaced, now);
  }
  return nullptr;
}

/// Sends the first task in the deque of the worker.
void dispatcher::send_next(worker& worker, instant now) {
  auto& first = worker.deque.front();
  send(first, now);
  presume_start(worker, now);
  if (leases_.are_on())
    lease_behind(first, now);
}

void dispatcher::bind_and_send(instant now) {
  if (has_due(now))
    return;
  if (waits_.take_ended() && needs_.is_eager)
    refresh_all(now);
  while (bind_next(now) != nullptr)
    continue;
  while (auto* ready = workers_.first_ready())
    send_next(*ready, now);
}

/// Lets idle workers take over tasks that are worth moving. Returns whether a
/// task was moved.
bool dispatcher::steal(instant now) {
  auto result = false;
  while (workers_.idle() > 0) {
    auto next = policy_.stealing->choose(now);
    if (!next)
      break;
    auto& moved = *next->moved;
    auto& thief = *next->thief;
    assert(thief.idle);
    assert(may_run_anywhere(moved)
           || permits(*moved.notes().where, thief.number));
    auto& victim = *moved.on;
    unassign(moved, now);
    tasks_changed(victim, now);
    ++moved.own_notes().steals;
    ++thief.record.stolen;
    ++record_.all.stolen;
    assign(moved, thief, now);
    assert(thief.in_mailbox < thief.window); // it was idle
    send_next(thief, now);
    result = true;
  }
  return result;
}

void dispatcher::dispatch(instant now) {
  are_taken_back_ = are_taken_back_ && !decisions_.empty();
  sheds_more_ = false;
  shed_ = 0;
  if (closed_)
    for (auto* each : runs_.held_runs())
      end_hold(*each, now);
  if (next_tick() <= now)
    ticked(now);
  else if (!leases_.empty())
    take_overdue_back(now);
  if (aside_.has_departed())
    fail_lost(now);
  if (are_taken_back_)
    return; // others must not go before them
  bind_and_send(now);
  while (policy_.stealing != nullptr && !has_due(now) && steal(now))
    bind_and_send(now); // unplaced tasks may have a worker now
  if (!leases_.empty() && !needs_.is_eager && workers_.offered() > 0)
    if (auto [from, followers] = leases_.to_share(); from != nullptr)
      take_followers_back(*from, followers);
}

} // namespace libpool
