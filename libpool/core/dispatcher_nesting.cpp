/// Tasks that handlers wait for, in the pool that runs these handlers.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <utility>

namespace libpool {

namespace {

/// Whether all tasks of the worker wait for other tasks.
bool do_all_wait(const worker& worker) noexcept {
  return std::all_of(worker.mailbox.begin(), worker.mailbox.end(),
                     [](const task& task) { return task.awaited > 0; });
}

} // namespace

/// Records that the handler of the task's asker waits for the task. A worker
/// that can go on only after that gives up its tasks that were not sent.
void dispatcher::ask(task& task, instant now) {
  auto& asker = *task.asker;
  if (asker.is < task::condition::sent) {
    task.asker = nullptr;
    return;
  }
  ++asker.awaited;
  ++nested_;
  auto& worker = *asker.on;
  if (worker.waits || worker.is_pool || seats_.has_place(worker)
      || !do_all_wait(worker))
    return;
  worker.waits = true;
  refresh(worker, now); // no task is assigned to it again
  unassign_all(worker, now);
  refresh(worker, now);
}

/// Records that the handler of the task's asker need not wait for the task any
/// more.
void dispatcher::answer_asker(task& task) noexcept {
  auto& asker = *std::exchange(task.asker, nullptr);
  --nested_;
  if (--asker.awaited > 0)
    return;
  has_waits_ended_ = std::exchange(asker.on->waits, false) || has_waits_ended_;
}

/// Records that the handler of `asker` has ended: it waits for no task.
void dispatcher::forget_askers(task& asker) {
  for (auto* each : ages_.all())
    if (each->asker == &asker) {
      each->asker = nullptr;
      --nested_;
    }
  asker.awaited = 0;
}

task* dispatcher::in_cycle() {
  if (nested_ == 0 || is_suspended_)
    return nullptr;
  auto all = ages_.all();
  auto i = std::find_if(all.begin(), all.end(),
                        [this](task* each) { return is_in_cycle(*each); });
  return i != all.end() ? *i : nullptr;
}

/// Whether a worker that waits has another task of the same key, so that the
/// task must go to this worker.
bool dispatcher::is_tied_to_waiting(const task& task) const {
  const auto& sent = ages_.sent();
  return std::any_of(sent.begin(), sent.end(), [&](const libpool::task& each) {
    return each.key == task.key && each.on->waits;
  });
}

/// Whether a handler waits for the task, and no worker will ever run it.
bool dispatcher::is_in_cycle(const task& task) const {
  if (task.asker == nullptr || task.is >= task::condition::sent || task.parked
      || task.not_before != never)
    return false;
  if (policy_.placement->is_tied(task) && is_tied_to_waiting(task))
    return true;
  auto cannot = false;
  for (const auto& each : members_) {
    auto may = each.is == worker::condition::serving
               && (task.where == nullptr || task.where->loose
                   || permits(*task.where, each.number));
    if (may && !each.waits && each.hanging == 0)
      return false;
    cannot = cannot || (may && each.waits);
  }
  return cannot;
}

} // namespace libpool
