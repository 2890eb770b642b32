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

/// Whether a task keeps the worker from all further tasks until its handler
/// ends, and the handler waits for other tasks.
bool hangs_waiting(const worker& worker) noexcept {
  return worker.hanging > 0
         && std::any_of(
           worker.mailbox.begin(), worker.mailbox.end(),
           [](const task& task) { return hangs(task) && task.awaited > 0; });
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
  set_waits(worker, true);
  refresh(worker, now); // no task is assigned to it again
  unassign_all(worker, now);
  refresh(worker, now);
}

/// Records that the handler of the task's asker need not wait for the task any
/// more.
void dispatcher::answer_asker(task& task) noexcept {
  auto& asker = *std::exchange(task.asker, nullptr);
  --nested_;
  if (--asker.awaited > 0 || !asker.on->waits)
    return;
  set_waits(*asker.on, false);
  has_waits_ended_ = is_eager();
}

void dispatcher::set_waits(worker& worker, bool waits) noexcept {
  if (std::exchange(worker.waits, waits) == waits)
    return;
  workers_.waiting = waits ? workers_.waiting + 1 : workers_.waiting - 1;
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
  auto waits_for_token = gates_.is_on()
                         && gates_.next_tick(tasks_.books.waiting > 0) != never;
  auto all_wait = !waits_for_token && do_all_tasks_wait();
  if (!all_wait && workers_.waiting == 0 && tasks_.overdue() == 0
      && !gates_.is_on())
    return nullptr;
  auto all = ages_.all();
  auto i = std::find_if(all.begin(), all.end(), [=](task* each) {
    return is_in_cycle(*each, all_wait);
  });
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

/// Whether a limit holds the task back until one of some tasks ends, and the
/// handlers of all these tasks wait for other tasks.
bool dispatcher::is_held_by_waiting(const task& task) const {
  const auto* of_flow = task.gate != nullptr && task.gate->is_full() ? task.gate
                                                                     : nullptr;
  auto of_all = gates_.pool().is_full();
  if (of_flow == nullptr && !of_all)
    return false;
  auto all_wait = true;
  auto flow_waits = of_flow != nullptr;
  ages_.for_each([&](const libpool::task& each) {
    if (each.on != nullptr && each.awaited == 0) {
      all_wait = false;
      flow_waits = flow_waits && each.gate != of_flow;
    }
    return all_wait || flow_waits;
  });
  return flow_waits || (of_all && all_wait);
}

/// Whether all tasks at workers wait for others, and no worker will get fit for
/// tasks by itself. Then a task that no worker has got waits for these tasks,
/// for example for their seats, or behind a task that does.
bool dispatcher::do_all_tasks_wait() const {
  auto some_wait = false;
  for (const auto& each : members_) {
    if (each.is == worker::condition::serving && each.hanging == 0
        && !is_fit(each))
      return false;
    if (!do_all_wait(each))
      return false;
    some_wait = some_wait || !each.mailbox.empty();
  }
  return some_wait;
}

bool dispatcher::could_go_to_new_worker(const task& task) const {
  return (task.where == nullptr || task.where->loose)
         && (needs_.has_flows || workers_.offered == 0)
         && !is_held_by_waiting(task)
         && !(policy_.placement->is_tied(task) && is_tied_to_waiting(task));
}

/// Whether a handler waits for the task, and no worker will ever run it.
/// `all_wait`: result of `do_all_tasks_wait`.
bool dispatcher::is_in_cycle(const task& task, bool all_wait) const {
  if (task.asker == nullptr || task.is >= task::condition::sent
      || task.not_before != never)
    return false;
  if (is_held_by_waiting(task))
    return true;
  if (all_wait && (!task.parked || task.gate->has_place()))
    return true;
  if (task.parked)
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
    cannot = cannot || (may && (each.waits || hangs_waiting(each)));
  }
  return cannot;
}

} // namespace libpool
