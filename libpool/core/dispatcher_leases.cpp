/// How a dispatcher sends several tasks to a worker together, and takes them
/// back.

#include "libpool/core/dispatcher.hpp"

namespace libpool {

/// Whether other tasks may be sent to a worker together with the task, which
/// was just sent. Tasks that could go to other workers at once stay for them.
bool dispatcher::may_lead(const task& task) const noexcept {
  const auto& to = *task.on;
  auto is_only_one = to.in_mailbox == 1 && workers_.seats.places_of(to) == 1;
  return leases_.are_on() && needs_.leases && to.takes_leases && is_only_one
         && !task.is_alone && (needs_.is_eager || workers_.offered() == 0);
}

/// Whether the task may be sent to the worker together with the one that is
/// last in its mailbox. Its turn comes at `until` or earlier.
bool dispatcher::may_follow(const task& task, const worker& to,
                            instant until) const {
  const auto& notes = task.notes();
  const auto& last = to.mailbox.back();
  return !task.is_alone && task.deadline > until && !is_asked_for(task)
         && !watch_.is_hopeless(task, until)
         && (notes.where == nullptr || permits(*notes.where, to.number))
         && (needs_.is_eager
             || (!policy_.placement->is_tied(task)
                 && !policy_.placement->keeps_order(task)))
         && (!needs_.has_flows || notes.width <= last.notes().width);
}

/// Returns the waiting task that goes next, if limits and pauses let it go;
/// otherwise nullptr.
task* dispatcher::next_to_go(instant now) {
  while (auto* next = policy_.order->choose(now)) {
    if (gates_.is_open(*next, now))
      return gates_.is_on() && !gates_.lets_go(next, now) ? nullptr : next;
    park(*next, now);
  }
  return nullptr;
}

/// Sends further tasks together with the task, which was just sent: those that
/// go next, as many as take a short time.
void dispatcher::lease_behind(task& first, instant now) {
  if (!may_lead(first))
    return;
  auto& to = *first.on;
  const auto until = leases_.ends_for(now);
  auto is_shared = !needs_.is_eager || policy_.stealing != nullptr;
  auto waiting = (needs_.is_eager ? to.deque.size() : tasks_.books.waiting) + 1;
  const auto size = leases_.size_for(is_shared ? waiting : 2 * waiting);
  while (to.in_mailbox < size) {
    auto* next = !needs_.is_eager   ? next_to_go(now)
                 : to.deque.empty() ? nullptr
                                    : &to.deque.front();
    if (next == nullptr || !may_follow(*next, to, until))
      return;
    leases_.add(*next, to, now);
    if (needs_.is_eager)
      send(*next, now);
    else
      hand_out(*next, {&to}, now);
  }
}

/// Takes back the last followers of the worker, at most `n`.
void dispatcher::take_followers_back(worker& from, std::size_t n) {
  for (auto i = from.mailbox.rbegin(); n > 0; ++i, --n)
    recall(*i, {});
}

/// Whether the task, which comes back, keeps the worker that was chosen when
/// the task arrived.
bool dispatcher::keeps_worker(const task& task) const noexcept {
  return needs_.is_eager && task.follows && task.on->offered
         && task.unwanted == errc{} && !retries_.stopped()
         && !throttling::is_paused(task) && !gates_.is_exceeded(task);
}

/// The task, which has followed others, is assigned to its worker as before.
void dispatcher::assign_again(task& task, instant now) {
  auto& worker = *task.on;
  worker.mailbox.erase(worker.mailbox.iterator_to(task));
  leases_.left(task, worker);
  --worker.in_mailbox;
  retries_.came_back(task);
  if (policy_.stealing != nullptr)
    policy_.stealing->ended(task, std::nullopt, now);
  task.recalled = false;
  tasks_.enter(task, task::condition::assigned);
  worker.deque.add(task);
  if (policy_.stealing != nullptr)
    policy_.stealing->assigned(task, now);
  watch_.came_back(task);
  came_back(worker, now);
}

/// Takes back tasks that wait behind one that takes long.
void dispatcher::take_overdue_back(instant now) {
  for (auto* next = leases_.take_overdue(now); next != nullptr;
       next = leases_.take_overdue(now))
    take_followers_back(*next, next->followers);
}

} // namespace libpool
