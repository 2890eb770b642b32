/// How users pause a pool, its workers and its flows, and limit its tasks.

#include "libpool/core/dispatcher.hpp"

#include <cassert>
#include <utility>

namespace libpool {

void dispatcher::suspended(worker& worker, instant now) {
  if (worker.is != worker::condition::serving
      || std::exchange(worker.suspended, true))
    return;
  ++workers_.suspended;
  note_pauses();
  refresh(worker, now); // no task is assigned to it again
  take_off(worker, now);
}

void dispatcher::reinstated(worker& worker, instant now) {
  auto was_suspended = std::exchange(worker.suspended, false);
  if (!was_suspended || worker.is != worker::condition::serving)
    return;
  --workers_.suspended;
  note_pauses();
  refresh(worker, now);
}

void dispatcher::suspended(instant now) {
  is_suspended_ = true;
  note_pauses();
  refresh_all(now);
  for (auto& each : members_)
    recall_unbegun(each);
}

void dispatcher::reinstated(instant now) {
  is_suspended_ = false;
  note_pauses();
  refresh_all(now);
}

void dispatcher::note_pauses() noexcept {
  has_pauses_ = is_suspended_ || workers_.suspended > 0 || gates_.holds_back();
}

void dispatcher::refresh_all(instant now) {
  for (auto& each : members_)
    refresh(each, now);
}

void dispatcher::suspended(const std::string& flow, instant now) {
  assert(needs_.may_throttle);
  gates_.pause(flow, ages_.all(), now);
  note_pauses();
  const auto all = is_eager() ? ages_.all() : first_sent();
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
  note_pauses();
}

void dispatcher::all_reinstated(instant now) {
  gates_.resume_all(now);
  for (auto& each : members_)
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
  auto all = ages_.all();
  gates_.change(within, all, now);
  note_pauses();
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
