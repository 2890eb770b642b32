#include "libpool/core/waiting_room.hpp"

#include <iterator>
#include <utility>

namespace libpool {

namespace {

/// Maximum number of workers in a restriction that is indexed by each of its
/// workers. Larger restrictions are checked one by one when a worker is
/// offered, because indexing thousands of workers for one task costs more.
constexpr std::size_t most_noted = 16;

/// Whether the restriction is checked one by one: it names many workers, or
/// none yet.
bool is_looked_at(const restriction& where) noexcept {
  return where.only.empty() || where.only.size() > most_noted;
}

/// Whether the task can go only when a worker that its restriction names is
/// offered.
bool is_particular(const task& task) noexcept {
  const auto* where = task.notes().where;
  return where != nullptr && !where->loose
         && (where->open || !where->only.empty());
}

} // namespace

waiting_room::~waiting_room() {
  auto forget = [](restriction& where) {
    where.held.clear();
    where.knows_freed = false;
  };
  for (auto [number, where] : awaited_)
    forget(*where);
  for (auto* where : awaited_by_many_)
    forget(*where);
}

// -- setting tasks aside ------------------------------------------------------

void waiting_room::hold(task& task, bool is_unplaced, instant now) {
  task.was_held = true;
  order_.held(task, now);
  task.held = true;
  task.unplaced = is_unplaced || !is_particular(task);
  if (placement_.keeps_order(task))
    first_of_keys_.insert(&task);
  if (task.unplaced) {
    unplaced_.add(task);
    if (task.notes().where != nullptr)
      free_next(task, now); // the next task may have a worker
    return;
  }
  ++held_;
  auto& where = *task.notes().where;
  if (where.held.empty())
    await(where);
  where.held[task.queue].add(task);
  where.freed.clear();
  where.knows_freed = true;
}

void waiting_room::remove(task& task, instant now) {
  auto stood_for_others = !task.held && task.notes().where != nullptr;
  if (task.held)
    free(task, now);
  if (stood_for_others)
    free_next(task, now);
  order_.removed(task, now);
  free_next_of_key(task, now);
}

void waiting_room::await(restriction& where) {
  if (is_looked_at(where)) {
    awaited_by_many_.insert(&where);
    return;
  }
  for (auto number : where.only)
    awaited_.emplace(number, &where);
}

void waiting_room::await_no_more(restriction& where) {
  where.knows_freed = false;
  if (is_looked_at(where)) {
    awaited_by_many_.erase(&where);
    return;
  }
  for (auto number : where.only)
    awaited_.erase({number, &where});
}

void waiting_room::change(restriction& where, std::vector<worker_number> only) {
  auto is_awaited = !where.held.empty();
  if (is_awaited)
    await_no_more(where);
  where.only = std::move(only);
  if (is_awaited)
    await(where);
}

std::vector<restriction*> waiting_room::take_lost() {
  std::vector<restriction*> result;
  for (auto number : std::exchange(departed_, {}))
    for (auto* where : awaiting(number))
      if (workers_.are_lost(*where))
        result.push_back(where);
  return result;
}

/// Returns the restrictions that include the worker, and for whose workers
/// tasks were set aside.
std::vector<restriction*> waiting_room::awaiting(worker_number worker) const {
  std::vector<restriction*> result;
  for (auto i = awaited_.lower_bound({worker, nullptr});
       i != awaited_.end() && i->first == worker; ++i)
    result.push_back(i->second);
  for (auto* where : awaited_by_many_)
    if (permits(*where, worker))
      result.push_back(where);
  return result;
}

void waiting_room::take_out(task& task) {
  task.held = false;
  first_of_keys_.erase(&task);
  if (task.unplaced) {
    unplaced_.remove(task);
    return;
  }
  --held_;
  auto& where = *task.notes().where;
  auto line = where.held.find(task.queue);
  line->second.remove(task);
  if (line->second.empty())
    where.held.erase(line);
  if (where.held.empty())
    await_no_more(where);
}

// -- freeing ------------------------------------------------------------------

/// Takes the task out of the waiting room, and lets the order choose it again.
void waiting_room::free(task& task, instant now) {
  take_out(task);
  order_.freed(task, now);
}

/// Frees the next task of the same restriction and the same queue. Called when
/// `task`, the free one of these tasks, goes.
void waiting_room::free_next(const task& task, instant now) {
  auto& held = task.notes().where->held;
  if (auto next = held.find(task.queue); next != held.end())
    free(next->second.front(), now);
}

/// Frees the first held task of each queue. The order decides which of them
/// goes.
void waiting_room::free_first_ones(restriction& where, instant now) {
  for (auto i = where.held.begin(); i != where.held.end();) {
    auto& first = i++->second.front(); // the line may vanish
    free(first, now);
  }
}

/// Notes that the worker, which the restriction names, can be chosen. Forgets
/// the notes if there are as many as workers.
void waiting_room::note_freed(restriction& where, worker_number worker) {
  where.knows_freed = where.knows_freed
                      && where.freed.size() < where.only.size();
  if (where.knows_freed)
    where.freed.push_back(worker);
}

void waiting_room::free_for(worker_number worker, instant now) {
  free_unplaced(now);
  auto i = awaited_.lower_bound({worker, nullptr});
  while (i != awaited_.end() && i->first == worker) {
    auto entry = *i; // a copy: freeing tasks may erase entries
    note_freed(*entry.second, worker);
    free_first_ones(*entry.second, now);
    i = awaited_.upper_bound(entry);
  }
  for (auto j = awaited_by_many_.begin(); j != awaited_by_many_.end();) {
    auto* where = *j++; // freeing tasks may erase only this entry
    if (permits(*where, worker)) {
      note_freed(*where, worker);
      free_first_ones(*where, now);
    }
  }
}

void waiting_room::free_all(instant now) {
  free_unplaced(now);
  while (!awaited_.empty())
    free_first_ones(*awaited_.begin()->second, now);
  while (!awaited_by_many_.empty())
    free_first_ones(**awaited_by_many_.begin(), now);
}

// -- keys ---------------------------------------------------------------------

bool waiting_room::is_behind_another(const task& task) const {
  if (!placement_.keeps_order(task))
    return false;
  auto next = first_of_keys_.lower_bound(&task);
  return next != first_of_keys_.begin()
         && (*std::prev(next))->notes().key == task.notes().key;
}

/// Frees the next task of the same key if it is unplaced. Called when `task`
/// does not wait any more.
void waiting_room::free_next_of_key(const task& task, instant now) {
  if (first_of_keys_.empty() || !placement_.keeps_order(task))
    return;
  auto next = first_of_keys_.lower_bound(&task);
  if (next != first_of_keys_.end() && (*next)->notes().key == task.notes().key
      && (*next)->unplaced)
    free(**next, now);
}

} // namespace libpool
