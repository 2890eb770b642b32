#include "support/stealing_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace test {

namespace {

using libpool::never;
using libpool::worker_number;
using snapshot_task = stealing_snapshot::task;
using worker = stealing_snapshot::worker;

__extension__ using wide = __int128;

constexpr std::size_t most_victims = 4;
constexpr std::size_t most_looks = 16; // tasks of each victim

wide move_of(const snapshot_task& task, worker_number to) {
  auto i = static_cast<std::size_t>(to);
  if (task.home == to)
    return 0;
  return i < task.moves.size() ? task.moves[i].count() : task.move.count();
}

wide cost_of(const snapshot_task& task) {
  return std::max<wide>(task.estimate.count(), 1);
}

/// Returns the remaining estimated time of the task. The estimated cost is
/// doubled until it exceeds the time that the task has run.
wide rest_of(const snapshot_task& task) {
  auto cost = cost_of(task);
  if (!task.has_run)
    return cost;
  wide elapsed = task.has_run->count();
  while (cost <= elapsed)
    cost *= 2;
  return cost - elapsed;
}

wide load_of(const stealing_snapshot& all, worker_number owner) {
  wide result = 0;
  for (const auto& each : all.tasks)
    if (each.on == owner)
      result += rest_of(each) + move_of(each, owner);
  return result;
}

/// Returns the level of the task: 0 if its moves cost nothing. Otherwise the
/// level is 21 + p, where 2^p is the ratio of its most expensive move to its
/// cost, rounded down, from 2^-20 to 2^20.
int level_of(const snapshot_task& task) {
  wide dearest = task.move.count();
  for (auto each : task.moves)
    dearest = std::max<wide>(dearest, each.count());
  if (dearest <= 0)
    return 0;
  constexpr auto middle = 21;
  constexpr auto most = 20;
  auto cost = cost_of(task);
  auto power = -most;
  while (power < most
         && (dearest << (power < 0 ? -power - 1 : 0))
              >= (cost << (power < 0 ? 0 : power + 1)))
    ++power;
  return middle + power;
}

bool may_be_stolen(const snapshot_task& task) {
  return !task.is_sent && !task.has_key
         && (!task.only || task.only->size() > 1);
}

bool may_run_on(const snapshot_task& task, worker_number thief) {
  return !task.only
         || std::binary_search(task.only->begin(), task.only->end(), thief);
}

/// Returns the tasks of the victim that the thief examines, the cheapest to
/// move first.
std::vector<snapshot_task*>
stealable(stealing_snapshot& all, worker_number victim, worker_number thief) {
  std::vector<snapshot_task*> result;
  for (auto& each : all.tasks)
    if (each.on == victim && may_be_stolen(each) && may_run_on(each, thief))
      result.push_back(&each);
  std::sort(result.begin(), result.end(),
            [](const snapshot_task* x, const snapshot_task* y) {
              return std::pair{level_of(*x), x->number}
                     < std::pair{level_of(*y), y->number};
            });
  result.resize(std::min(result.size(), most_looks));
  return result;
}

/// Returns the victims that the thief examines, the largest load first.
std::vector<worker_number> victims(stealing_snapshot& all,
                                   worker_number thief) {
  std::vector<std::pair<wide, worker_number>> found;
  for (const auto& each : all.workers) {
    auto in_flight = std::count_if(
      all.tasks.begin(), all.tasks.end(),
      [&](const snapshot_task& task) { return task.on == each.number; });
    if (in_flight >= 2 && !stealable(all, each.number, thief).empty())
      found.emplace_back(-load_of(all, each.number), each.number);
  }
  std::sort(found.begin(), found.end());
  std::vector<worker_number> result;
  for (const auto& each : found)
    if (result.size() < most_victims)
      result.push_back(each.second);
  return result;
}

bool is_worth_it(const snapshot_task& task, wide load, worker_number thief) {
  auto there = move_of(task, thief);
  auto here = move_of(task, task.on);
  auto cost = cost_of(task);
  return there <= here || 2 * (there + cost) <= 2 * load - (here + cost);
}

/// Returns the task that the thief would take over; nullptr if there is none.
snapshot_task* choice_of(stealing_snapshot& all, worker_number thief) {
  for (auto victim : victims(all, thief)) {
    auto load = load_of(all, victim);
    for (auto* each : stealable(all, victim, thief))
      if (is_worth_it(*each, load, thief))
        return each;
  }
  return nullptr;
}

/// Returns the idle workers, the worker that has been idle for longest first.
std::vector<worker*> thieves(stealing_snapshot& all) {
  std::vector<worker*> result;
  for (auto& each : all.workers)
    if (each.idle_since != never)
      result.push_back(&each);
  std::sort(result.begin(), result.end(), [](const worker* x, const worker* y) {
    return std::tie(x->idle_since, x->number)
           < std::tie(y->idle_since, y->number);
  });
  return result;
}

/// Moves one task, if a worker would take one. Returns the move.
std::optional<steal> moved(stealing_snapshot& all) {
  for (auto* thief : thieves(all))
    if (auto* task = choice_of(all, thief->number)) {
      steal result{task->number, task->on, thief->number};
      task->on = thief->number; // the thief begins the task at once
      task->is_sent = true;
      thief->idle_since = never;
      return result;
    }
  return std::nullopt;
}

} // namespace

std::vector<steal> plan(stealing_snapshot snapshot) {
  std::vector<steal> result;
  while (auto next = moved(snapshot))
    result.push_back(*next);
  return result;
}

} // namespace test
