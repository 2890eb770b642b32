/// Tasks that handlers wait for, in the pool that runs these handlers.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <utility>

namespace libpool {

namespace {

bool has_begun(const task& task) noexcept {
  return task.is == task::condition::running
         || task.is == task::condition::overdue;
}

/// Whether all tasks of the worker wait for other tasks. A task that waits
/// for unknown ones has begun, and there is such a task for each.
bool do_all_wait(const worker& worker) noexcept {
  std::size_t unknown = 0;
  for (const auto& each : worker.mailbox) {
    if (each.notes().awaited > 0)
      continue;
    if (!has_begun(each) || ++unknown > worker.awaited)
      return false;
  }
  return true;
}

/// Whether the task, which a worker has, waits for other tasks.
bool does_wait(const task& task) noexcept {
  return task.notes().awaited > 0 || (has_begun(task) && do_all_wait(*task.on));
}

/// Whether a task keeps the worker from all further tasks until its handler
/// ends, and the handler waits for other tasks.
bool hangs_waiting(const worker& worker) noexcept {
  return worker.hanging > 0
         && std::any_of(
           worker.mailbox.begin(), worker.mailbox.end(),
           [](const task& task) { return hangs(task) && does_wait(task); });
}

} // namespace

/// Records that a worker waits for the task, with the handler of the task's
/// asker or with an unknown one.
void dispatcher::ask(task& task, instant now) {
  auto& notes = task.own_notes();
  if (notes.asker != nullptr) {
    notes.asking = nullptr;
    if (notes.asker->is < task::condition::sent) {
      notes.asker = nullptr;
      return;
    }
    ++notes.asker->own_notes().awaited;
  } else {
    if (notes.asking->is == worker::condition::unknown) {
      notes.asking = nullptr;
      return;
    }
    ++notes.asking->awaited;
  }
  ++nested_;
  auto& waiter = notes.asker != nullptr ? *notes.asker->on : *notes.asking;
  take_followers_back(waiter, waiter.followers);
  look_whether_waits(waiter, now);
}

/// A worker that can go on only after other tasks gives up its tasks that were
/// not sent.
void dispatcher::look_whether_waits(worker& worker, instant now) {
  if (worker.waits || worker.is_pool || workers_.seats().has_place(worker)
      || !do_all_wait(worker))
    return;
  set_waits(worker, true);
  refresh(worker, now); // no task is assigned to it again
  unassign_all(worker, now);
  refresh(worker, now);
}

/// Records that no handler need wait for the task any more.
void dispatcher::answer_asker(task& task) noexcept {
  auto& notes = task.own_notes();
  auto* asker = std::exchange(notes.asker, nullptr);
  auto& worker = asker != nullptr ? *asker->on : *notes.asking;
  notes.asking = nullptr;
  --nested_;
  if (asker != nullptr)
    --asker->own_notes().awaited;
  else
    --worker.awaited;
  if (!worker.waits || do_all_wait(worker))
    return;
  set_waits(worker, false);
  has_waits_ended_ = is_eager();
}

void dispatcher::set_waits(worker& worker, bool waits) noexcept {
  if (std::exchange(worker.waits, waits) == waits)
    return;
  waiting_ = waits ? waiting_ + 1 : waiting_ - 1;
}

/// Records that the handler of `asker` has ended: it waits for no task.
void dispatcher::forget_askers(task& asker) {
  for (auto* each : ages_.all())
    if (each->notes().asker == &asker) {
      each->own_notes().asker = nullptr;
      --nested_;
    }
  asker.own_notes().awaited = 0;
}

/// Records that the worker has left: it waits for no task.
void dispatcher::forget_asking(worker& worker) {
  for (auto* each : ages_.all())
    if (each->notes().asking == &worker) {
      each->own_notes().asking = nullptr;
      --nested_;
    }
  worker.awaited = 0;
}

task* dispatcher::in_cycle() {
  if (nested_ == 0 || workers_.is_suspended())
    return nullptr;
  auto waits_for_token = gates_.is_on()
                         && gates_.next_tick(tasks_.books.waiting > 0) != never;
  auto all_wait = !waits_for_token && do_all_tasks_wait();
  if (!all_wait && waiting_ == 0 && tasks_.overdue() == 0 && !gates_.is_on())
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
    return each.notes().key == task.notes().key && each.on->waits;
  });
}

/// Whether a limit holds the task back until one of some tasks ends, and the
/// handlers of all these tasks wait for other tasks.
bool dispatcher::is_held_by_waiting(const task& task) const {
  const auto* gate = task.notes().gate;
  const auto* of_flow = gate != nullptr && gate->is_full() ? gate : nullptr;
  auto of_all = gates_.pool().is_full();
  if (of_flow == nullptr && !of_all)
    return false;
  auto all_wait = true;
  auto flow_waits = of_flow != nullptr;
  ages_.for_each([&](const libpool::task& each) {
    if (each.on != nullptr && !does_wait(each)) {
      all_wait = false;
      flow_waits = flow_waits && each.notes().gate != of_flow;
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
  for (const auto& each : workers_.all()) {
    if (each.is == worker::condition::serving && each.hanging == 0
        && !workers_.is_fit(each))
      return false;
    if (!do_all_wait(each))
      return false;
    some_wait = some_wait || !each.mailbox.empty();
  }
  return some_wait;
}

bool dispatcher::could_go_to_new_worker(const task& task) const {
  return may_run_anywhere(task) && (needs_.has_flows || workers_.offered() == 0)
         && !is_held_by_waiting(task)
         && !(policy_.placement->is_tied(task) && is_tied_to_waiting(task));
}

/// Whether a handler waits for the task, and no worker will ever run it.
/// `all_wait`: result of `do_all_tasks_wait`.
bool dispatcher::is_in_cycle(const task& task, bool all_wait) const {
  if (!is_asked_for(task) || task.is >= task::condition::sent
      || task.notes().not_before != never)
    return false;
  if (is_held_by_waiting(task))
    return true;
  if (all_wait && (!task.parked || task.notes().gate->has_place()))
    return true;
  if (task.parked)
    return false;
  if (policy_.placement->is_tied(task) && is_tied_to_waiting(task))
    return true;
  auto cannot = false;
  for (const auto& each : workers_.all()) {
    auto may = each.is == worker::condition::serving
               && (may_run_anywhere(task)
                   || permits(*task.notes().where, each.number));
    if (may && !each.waits && each.hanging == 0)
      return false;
    cannot = cannot || (may && (each.waits || hangs_waiting(each)));
  }
  return cannot;
}

} // namespace libpool
