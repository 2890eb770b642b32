/// How a dispatcher takes back tasks that were sent together.

#include "libpool/core/dispatcher.hpp"

namespace libpool {

/// Takes back the last followers of the worker, at most `n`.
void dispatcher::take_followers_back(worker& worker, std::size_t n) {
  for (auto i = worker.mailbox.rbegin(); n > 0; ++i, --n)
    recall(*i, {});
}

/// Whether the task, which comes back, keeps the worker that was chosen when
/// the task arrived.
bool dispatcher::keeps_worker(const task& task) const noexcept {
  return needs_.is_eager && task.follows && task.on->offered
         && task.cancel_reason == errc{} && !retries_.stopped()
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
