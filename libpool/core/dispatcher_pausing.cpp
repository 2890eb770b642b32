/// How users pause a pool, its workers and its flows, and limit its tasks.

#include "libpool/core/dispatcher.hpp"

#include <cassert>

namespace libpool {

void dispatcher::suspended(worker& worker, instant now) {
  if (!workers_.suspended(worker))
    return;
  refresh(worker, now); // no task is assigned to it again
  take_off(worker, now);
}

void dispatcher::reinstated(worker& worker, instant now) {
  if (!workers_.reinstated(worker))
    return;
  if (workers_.offered() == 0)
    shedding_.resumed(now);
  refresh(worker, now);
}

void dispatcher::suspended(instant now) {
  workers_.suspended(true);
  refresh_all(now);
  for (auto& each : workers_.all())
    recall_unbegun(each);
}

void dispatcher::reinstated(instant now) {
  workers_.suspended(false);
  shedding_.resumed(now);
  refresh_all(now);
}

void dispatcher::refresh_all(instant now) {
  for (auto& each : workers_.all())
    refresh(each, now);
}

void dispatcher::suspended(const std::string& flow, instant now) {
  assert(needs_.may_throttle);
  gates_.pause(flow, tasks_.all(), now);
  const auto all = needs_.is_eager ? tasks_.all() : tasks_.sent();
  for (auto i = all.rbegin(); i != all.rend(); ++i) { // as in recall_unbegun
    auto& task = **i;
    if (!throttling::is_paused(task) || task.on == nullptr)
      continue;
    auto& worker = *task.on;
    if (task.is == task::condition::assigned) {
      wait_again(task, now);
      tasks_changed(worker, now);
    } else if (task.is == task::condition::sent
               && worker.is != worker::condition::gone) {
      recall(task, {});
    }
  }
}

void dispatcher::reinstated(const std::string& flow, instant now) {
  gates_.resume(flow, now);
}

void dispatcher::all_reinstated(instant now) {
  gates_.resume_all(now);
  for (auto& each : workers_.all())
    reinstated(each, now);
  reinstated(now);
}

/// A task that was assigned and not sent waits again if more tasks are at
/// workers than its flow, or the pool, may have now. Tasks that were sent
/// together with others are taken back, as not all of them may go now.
void dispatcher::limited(const throttles& within, instant now) {
  assert(needs_.may_throttle);
  for (auto& each : leases_.workers())
    take_followers_back(each, each.followers);
  auto all = tasks_.all();
  gates_.change(within, all, now);
  shedding_.resumed(now);
  for (auto i = all.rbegin(); i != all.rend(); ++i) {
    auto& task = **i;
    if (task.is != task::condition::assigned || !gates_.is_exceeded(task))
      continue;
    auto& worker = *task.on;
    wait_again(task, now);
    tasks_changed(worker, now);
  }
}

} // namespace libpool
