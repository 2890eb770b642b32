#include "libpool/policies/stealing_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace libpool {

namespace {

using task = stealing_snapshot::task;
using worker = stealing_snapshot::worker;

__extension__ using wide = __int128;

constexpr std::size_t most_victims = 4;
constexpr std::size_t most_looks = 16; // at tasks of each

wide move_of(const task& what, worker_number to) {
  auto i = static_cast<std::size_t>(to);
  if (what.home == to)
    return 0;
  return i < what.moves.size() ? what.moves[i].count() : what.move.count();
}

wide cost_of(const task& what) {
  return std::max<wide>(what.estimate.count(), 1);
}

/// What is left to do of it: it is taken to need twice as long as it has run
/// for, in steps.
wide rest_of(const task& what) {
  auto cost = cost_of(what);
  if (!what.has_run)
    return cost;
  wide elapsed = what.has_run->count();
  while (cost <= elapsed)
    cost *= 2;
  return cost - elapsed;
}

wide load_of(const stealing_snapshot& all, worker_number who) {
  wide result = 0;
  for (const auto& each : all.tasks)
    if (each.on == who)
      result += rest_of(each) + move_of(each, who);
  return result;
}

/// How dear it is to move: 0 if that costs nothing, or 21 and the power of two
/// that its dearest move is of its cost, from 2^-20 to 2^20.
int level_of(const task& what) {
  wide dearest = what.move.count();
  for (auto each : what.moves)
    dearest = std::max<wide>(dearest, each.count());
  if (dearest <= 0)
    return 0;
  constexpr auto middle = 21;
  constexpr auto most = 20;
  auto cost = cost_of(what);
  auto power = -most;
  while (power < most
         && (dearest << (power < 0 ? -power - 1 : 0))
              >= (cost << (power < 0 ? 0 : power + 1)))
    ++power;
  return middle + power;
}

bool may_be_stolen(const task& what) {
  return !what.is_sent && !what.has_key
         && (!what.only || what.only->size() > 1);
}

bool may_run_on(const task& what, worker_number who) {
  return !what.only
         || std::binary_search(what.only->begin(), what.only->end(), who);
}

/// Those of the worker that the thief looks at, the most willing first.
std::vector<task*> stealable(stealing_snapshot& all, worker_number victim,
                             worker_number thief) {
  std::vector<task*> result;
  for (auto& each : all.tasks)
    if (each.on == victim && may_be_stolen(each) && may_run_on(each, thief))
      result.push_back(&each);
  std::sort(result.begin(), result.end(), [](const task* x, const task* y) {
    return std::pair{level_of(*x), x->number}
           < std::pair{level_of(*y), y->number};
  });
  result.resize(std::min(result.size(), most_looks));
  return result;
}

/// Those that the thief looks at, the one with most to do first.
std::vector<worker_number> victims(stealing_snapshot& all,
                                   worker_number thief) {
  std::vector<std::pair<wide, worker_number>> found;
  for (const auto& each : all.workers) {
    auto in_flight =
      std::count_if(all.tasks.begin(), all.tasks.end(),
                    [&](const task& what) { return what.on == each.number; });
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

bool is_worth_it(const task& what, wide load, worker_number thief) {
  auto there = move_of(what, thief);
  auto here = move_of(what, what.on);
  auto cost = cost_of(what);
  return there <= here || 2 * (there + cost) <= 2 * load - (here + cost);
}

/// What the worker would take; nullptr if nothing.
task* choice_of(stealing_snapshot& all, worker_number thief) {
  for (auto victim : victims(all, thief)) {
    auto load = load_of(all, victim);
    for (auto* each : stealable(all, victim, thief))
      if (is_worth_it(*each, load, thief))
        return each;
  }
  return nullptr;
}

/// Those that would take something, the one that is dry for longest first.
std::vector<worker*> thieves(stealing_snapshot& all) {
  std::vector<worker*> result;
  for (auto& each : all.workers)
    if (each.dry_since != never)
      result.push_back(&each);
  std::sort(result.begin(), result.end(), [](const worker* x, const worker* y) {
    return std::tie(x->dry_since, x->number)
           < std::tie(y->dry_since, y->number);
  });
  return result;
}

/// Has one task move, if somebody wants one.
std::optional<steal> moved(stealing_snapshot& all) {
  for (auto* thief : thieves(all))
    if (auto* what = choice_of(all, thief->number)) {
      steal result{what->number, what->on, thief->number};
      what->on = thief->number; // who begins with it at once
      what->is_sent = true;
      thief->dry_since = never;
      return result;
    }
  return std::nullopt;
}

} // namespace

std::vector<steal> plan(stealing_snapshot what) {
  std::vector<steal> result;
  while (auto next = moved(what))
    result.push_back(*next);
  return result;
}

} // namespace libpool
