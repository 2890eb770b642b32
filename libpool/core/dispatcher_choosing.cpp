/// How a dispatcher chooses the worker of a task.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>

namespace libpool {

/// Returns the worker that gets the task: an offered worker that has room for
/// the task and may run it. Returns no worker if none fits.
dispatcher::choice dispatcher::worker_for(const task& task, instant now) {
  if (workers_.offered == 0 || !seats_.fits(task))
    return {};
  if (aside_.is_behind_its_key(task))
    return {nullptr, false, true};
  if (auto* home = home_of(task))
    return {home, false};
  if (task.notes().where != nullptr) {
    auto named = named_worker_for(task, now);
    if (named.worker != nullptr || !may_run_anywhere(task))
      return named;
  }
  auto* any = any_worker_for(task, now);
  return {any, true, any == nullptr};
}

/// Returns the home of the task if the home may get the task now; otherwise
/// nullptr.
worker* dispatcher::home_of(const task& task) {
  const auto& notes = task.notes();
  if (!is_eager() || !notes.home
      || (notes.where != nullptr && !permits(*notes.where, *notes.home))
      || policy_.placement->is_tied(task))
    return nullptr;
  return offered(*notes.home);
}

worker* dispatcher::any_worker_for(const task& task, instant now) {
  if (seats_.fits_on_all(task))
    return policy_.placement->choose(task, now);
  seats_.collect(task, candidates_);
  return candidates_.empty()
           ? nullptr
           : policy_.placement->choose_among(candidates_, task, now);
}

/// Returns one of the workers that the restriction of the task names.
dispatcher::choice dispatcher::named_worker_for(const task& task, instant now) {
  gather_named(task);
  if (candidates_.empty())
    return {};
  auto* worker = policy_.placement->choose_among(candidates_, task, now);
  return {worker, true, worker == nullptr};
}

/// Sets the candidates to the offered workers with room that the restriction of
/// the task names, in the order in which they joined. If the restriction knows
/// which of its workers were freed, looks only at these. Otherwise looks up
/// each named worker, or scans all workers if at least an eighth of them is
/// named.
void dispatcher::gather_named(const task& task) {
  candidates_.clear();
  auto add = [&](worker& worker) {
    if (worker.offered && seats_.has_room(worker, task))
      candidates_.push_back(&worker);
  };
  auto& where = *task.notes().where;
  if (where.knows_freed) {
    sort_freed(where);
    for (auto number : where.freed)
      add(*offered(number));
    return;
  }
  const auto& only = where.only;
  if (only.size() * 8 < members_.size()) {
    for (auto number : only)
      if (auto* worker = offered(number))
        add(*worker);
    return;
  }
  auto i = members_.begin();
  for (auto number : only) {
    while (i != members_.end() && i->number < number)
      ++i;
    if (i == members_.end())
      return;
    if (i->number == number)
      add(*i);
  }
}

/// Removes workers that are not offered any more, and sorts the others.
void dispatcher::sort_freed(restriction& where) {
  auto& freed = where.freed;
  auto is_taken = [this](worker_number x) { return offered(x) == nullptr; };
  freed.erase(std::remove_if(freed.begin(), freed.end(), is_taken),
              freed.end());
  std::sort(freed.begin(), freed.end());
  freed.erase(std::unique(freed.begin(), freed.end()), freed.end());
}

/// Returns the worker with the number `number` if it is offered; otherwise
/// nullptr.
worker* dispatcher::offered(worker_number number) {
  auto i = members_.find(number, joined_sooner{});
  return i != members_.end() && i->offered ? &*i : nullptr;
}

/// Whether the task, which no worker can take now, waits for free seats at a
/// worker that may run it.
bool dispatcher::gathers_seats(const task& task) {
  if (!needs_.has_flows)
    return false;
  if (may_run_anywhere(task))
    return true;
  const auto& only = task.notes().where->only;
  return std::any_of(only.begin(), only.end(), [this](worker_number number) {
    return offered(number) != nullptr;
  });
}

/// Sets the waiting task aside until a worker can take it. Fails the task if no
/// worker ever can.
void dispatcher::set_aside(task& task, bool is_unplaced, instant now) {
  const auto* where = task.notes().where;
  if (where != nullptr && is_lost(*where))
    return drop(task, outcome::failed, errc::worker_down, now);
  aside_.hold(task, is_unplaced, now);
  gates_.set_aside(task, now);
}

/// Sets the waiting task aside until the gate of its flow opens. The next task
/// for the same workers may go meanwhile.
void dispatcher::park(task& task, instant now) {
  gates_.park(task, now);
  aside_.followed(task, now);
}

} // namespace libpool
