#include "libpool/core/nested_waits.hpp"

#include <algorithm>

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

worker* nested_waits::began(task& task) {
  auto& notes = task.own_notes();
  auto* waiter = notes.asking;
  if (notes.asker != nullptr) {
    notes.asking = nullptr;
    if (notes.asker->is < task::condition::sent) {
      notes.asker = nullptr;
      return nullptr;
    }
    ++notes.asker->own_notes().awaited;
    waiter = notes.asker->on;
  } else {
    if (waiter->is == worker::condition::unknown) {
      notes.asking = nullptr;
      return nullptr;
    }
    ++waiter->awaited;
  }
  ++nested_;
  return waiter;
}

void nested_waits::settled(task& task) noexcept {
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
  goes_on(worker);
  have_ended_ = true;
}

void nested_waits::ended(task& task) {
  for (auto* each : tasks_.all())
    if (each->notes().asker == &task) {
      each->own_notes().asker = nullptr;
      --nested_;
    }
  task.own_notes().awaited = 0;
}

void nested_waits::left(worker& worker) {
  for (auto* each : tasks_.all())
    if (each->notes().asking == &worker) {
      each->own_notes().asking = nullptr;
      --nested_;
    }
  worker.awaited = 0;
}

bool nested_waits::begins_to_wait(worker& worker) noexcept {
  if (worker.waits || worker.is_pool || workers_.seats.has_place(worker)
      || !do_all_wait(worker))
    return false;
  worker.waits = true;
  ++waiting_;
  return true;
}

task* nested_waits::in_cycle() const {
  if (nested_ == 0 || workers_.is_suspended())
    return nullptr;
  auto waits_for_token = gates_.is_on()
                         && gates_.next_tick(tasks_.books.waiting > 0) != never;
  auto all_wait = !waits_for_token && do_all_tasks_wait();
  if (!all_wait && waiting_ == 0 && workers_.hanging() == 0 && !gates_.is_on())
    return nullptr;
  auto all = tasks_.all();
  auto i = std::find_if(all.begin(), all.end(), [=](task* each) {
    return is_in_cycle(*each, all_wait);
  });
  return i != all.end() ? *i : nullptr;
}

/// Whether a worker that waits has another task of the same key, so that the
/// task must go to this worker.
bool nested_waits::is_tied_to_waiting(const task& task) const {
  const auto sent = tasks_.sent();
  return std::any_of(sent.begin(), sent.end(), [&](const auto* each) {
    return each->notes().key == task.notes().key && each->on != nullptr
           && each->on->waits;
  });
}

/// Whether a limit holds the task back until one of some tasks ends, and the
/// handlers of all these tasks wait for other tasks.
bool nested_waits::is_held_by_waiting(const task& task) const {
  const auto* gate = task.notes().gate;
  const auto* of_flow = gate != nullptr && gate->is_full() ? gate : nullptr;
  auto of_all = gates_.pool().is_full();
  if (of_flow == nullptr && !of_all)
    return false;
  auto all_wait = true;
  auto flow_waits = of_flow != nullptr;
  for (const auto* each : tasks_.all()) {
    if (each->on != nullptr && !does_wait(*each)) {
      all_wait = false;
      flow_waits = flow_waits && each->notes().gate != of_flow;
    }
  }
  return flow_waits || (of_all && all_wait);
}

/// Whether all tasks at workers wait for others, and no worker will get fit for
/// tasks by itself. Then a task that no worker has got waits for these tasks,
/// for example for their seats, or behind a task that does.
bool nested_waits::do_all_tasks_wait() const {
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

bool nested_waits::could_go_to_new_worker(const task& task) const {
  auto could_help = workers_.seats.counts() || workers_.offered() == 0;
  return could_help && may_run_anywhere(task) && !is_held_by_waiting(task)
         && !(placement_.is_tied(task) && is_tied_to_waiting(task));
}

/// Whether a handler waits for the task, and no worker will ever run it.
/// `all_wait`: result of `do_all_tasks_wait`.
bool nested_waits::is_in_cycle(const task& task, bool all_wait) const {
  if (!is_asked_for(task) || task.is >= task::condition::sent
      || task.notes().not_before != never)
    return false;
  if (is_held_by_waiting(task))
    return true;
  if (all_wait && (!task.parked || task.notes().gate->has_place()))
    return true;
  if (task.parked)
    return false;
  if (placement_.is_tied(task) && is_tied_to_waiting(task))
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
