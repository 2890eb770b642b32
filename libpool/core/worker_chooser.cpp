#include "libpool/core/worker_chooser.hpp"

#include <algorithm>

namespace libpool {

chosen_worker worker_chooser::choose(const task& task, instant now) {
  if (workers_.offered() == 0 || !workers_.seats.fits(task))
    return {};
  if (aside_.is_behind_its_key(task))
    return {nullptr, false, true};
  if (auto* home = home_of(task))
    return {home, false};
  if (task.notes().where != nullptr) {
    auto named = named_for(task, now);
    if (named.worker != nullptr || !may_run_anywhere(task))
      return named;
  }
  auto* any = any_for(task, now);
  return {any, true, any == nullptr};
}

/// Returns the home of the task if the home may get the task now; otherwise
/// nullptr.
worker* worker_chooser::home_of(const task& task) {
  const auto& notes = task.notes();
  if (!is_eager_ || !notes.home
      || (notes.where != nullptr && !permits(*notes.where, *notes.home))
      || placement_.is_tied(task))
    return nullptr;
  return workers_.offered(*notes.home);
}

worker* worker_chooser::any_for(const task& task, instant now) {
  if (workers_.seats.fits_on_all(task))
    return placement_.choose(task, now);
  workers_.seats.collect(task, candidates_);
  return candidates_.empty() ? nullptr
                             : placement_.choose_among(candidates_, task, now);
}

/// Returns one of the workers that the restriction of the task names.
chosen_worker worker_chooser::named_for(const task& task, instant now) {
  gather_named(task);
  if (candidates_.empty())
    return {};
  auto* worker = placement_.choose_among(candidates_, task, now);
  return {worker, true, worker == nullptr};
}

/// Sets the candidates to the offered workers with room that the restriction of
/// the task names, in the order in which they joined. If the restriction knows
/// which of its workers were freed, looks only at these. Otherwise looks up
/// each named worker, or scans all workers if at least an eighth of them is
/// named.
void worker_chooser::gather_named(const task& task) {
  candidates_.clear();
  auto add = [&](worker& worker) {
    if (worker.offered && workers_.seats.has_room(worker, task))
      candidates_.push_back(&worker);
  };
  auto& where = *task.notes().where;
  if (where.knows_freed) {
    sort_freed(where);
    for (auto number : where.freed)
      add(*workers_.offered(number));
    return;
  }
  const auto& only = where.only;
  if (only.size() * 8 < workers_.all().size()) {
    for (auto number : only)
      if (auto* worker = workers_.offered(number))
        add(*worker);
    return;
  }
  auto& all = workers_.all();
  auto i = all.begin();
  for (auto number : only) {
    while (i != all.end() && i->number < number)
      ++i;
    if (i == all.end())
      return;
    if (i->number == number)
      add(*i);
  }
}

/// Removes workers that are not offered any more, and sorts the others.
void worker_chooser::sort_freed(restriction& where) {
  auto& freed = where.freed;
  auto is_taken = [this](worker_number x) {
    return workers_.offered(x) == nullptr;
  };
  freed.erase(std::remove_if(freed.begin(), freed.end(), is_taken),
              freed.end());
  std::sort(freed.begin(), freed.end());
  freed.erase(std::unique(freed.begin(), freed.end()), freed.end());
}

bool worker_chooser::gathers_seats(const task& task) const {
  if (may_run_anywhere(task))
    return true;
  const auto& only = task.notes().where->only;
  return std::any_of(only.begin(), only.end(), [this](worker_number number) {
    return workers_.offered(number) != nullptr;
  });
}

} // namespace libpool
