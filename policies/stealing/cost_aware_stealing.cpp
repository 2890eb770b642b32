#include "libpool/policies/stealing/cost_aware_stealing.hpp"

#include "libpool/core/restriction.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace libpool {

namespace {

using wide_time = steal_record::wide;

constexpr std::size_t most_victims = 4;
constexpr std::size_t most_looks = 16; // tasks of each victim
constexpr std::size_t most_spare = 16'384;

victim_record& record_of(const worker& worker) noexcept {
  return static_cast<victim_record&>(*worker.booked);
}

steal_record& record_of(const task& task) noexcept {
  return static_cast<steal_record&>(*task.attempt().booked);
}

/// Whether another worker may ever get the task.
bool may_be_stolen(const task& task) noexcept {
  const auto& notes = task.notes();
  return !notes.key
         && (may_run_anywhere(task) || notes.where->open
             || notes.where->only.size() > 1);
}

/// Returns the minimum cost of moving the task to another worker.
duration cheapest_move(const task& task) noexcept {
  auto here = task.on->number;
  const auto& notes = task.notes();
  auto result = notes.move;
  if (notes.home && *notes.home != here)
    return duration{0};
  if (notes.moves == nullptr)
    return result;
  for (std::size_t i = 0; i < notes.moves->size(); ++i)
    if (worker_number{i} != here)
      result = std::min(result, (*notes.moves)[i]);
  return result;
}

/// Number of levels, the ranks of tasks by the cost of moving them. Level 0 is
/// for tasks whose moves cost nothing. Each further level is for a power of
/// two, from 2^-20 to 2^20, of the ratio of the most expensive move to the cost
/// of the task.
constexpr int levels = 42;

/// Returns the level of the task: its rank by the ratio of its most expensive
/// move to its estimated cost `cost`.
std::size_t level_of(const task& task, duration cost) noexcept {
  auto dearest = dearest_move(task);
  if (dearest.count() <= 0)
    return 0;
  constexpr auto middle = levels / 2;
  auto power = std::ilogb(static_cast<double>(dearest.count())
                          / static_cast<double>(cost.count()));
  return static_cast<std::size_t>(std::clamp(power + middle, 1, levels - 1));
}

/// Returns twice the load of the task's worker from which on a worker to which
/// the data can be moved in the time `move` may take the task over. 0: at any
/// load, because the move takes no longer than the move to the current worker.
wide_time threshold_of(const steal_record& its, duration move) noexcept {
  if (move <= its.move)
    return 0;
  return 2 * wide_time{move.count()} + 3 * wide_time{its.cost.count()}
         + wide_time{its.move.count()};
}

} // namespace

cost_aware_stealing::cost_aware_stealing(const cost_aware_options& options)
  : estimates_(options.alpha, options.initial_estimate) {
  check_each(options);
}

// -- facts about workers ------------------------------------------------------

void cost_aware_stealing::joined(worker& worker, instant) noexcept {
  index_.joined(worker);
}

void cost_aware_stealing::left(worker& worker, instant) noexcept {
  index_.left(worker);
}

void cost_aware_stealing::idled(worker& worker, instant now) noexcept {
  index_.idled(record_of(worker), now);
}

void cost_aware_stealing::engaged(worker& worker, instant) noexcept {
  index_.engaged(record_of(worker));
}

void cost_aware_stealing::changing(const restriction& where) noexcept {
  index_.changing(where);
}

// -- facts about tasks --------------------------------------------------------

void cost_aware_stealing::assigned(task& task, instant) noexcept {
  auto& victim = record_of(*task.on);
  if (task.attempt().booked == nullptr)
    book(task);
  auto& its = record_of(task);
  its.move = move_to(task, victim.worker->number);
  victim.costs += its.load();
  ++victim.in_flight;
  if (may_be_stolen(task)) {
    its.threshold = threshold_of(its, cheapest_move(task));
    index_.list(victim, its);
  }
  index_.changed(victim);
}

/// Gives the task a record. Reuses the record of an ended task, if there is
/// one.
void cost_aware_stealing::book(task& task) {
  if (spare_.empty()) {
    task.own_attempt().booked = std::make_unique<steal_record>();
  } else {
    task.own_attempt().booked = std::move(spare_.back());
    spare_.pop_back();
  }
  auto& its = record_of(task);
  its.begin(task, estimates_.of(task));
  its.level = level_of(task, its.cost);
}

void cost_aware_stealing::sent(task& task, instant) noexcept {
  auto& victim = record_of(*task.on);
  index_.unlist(victim, record_of(task));
  index_.changed(victim);
}

void cost_aware_stealing::unassigned(task& task, instant) noexcept {
  auto& victim = record_of(*task.on);
  auto& its = record_of(task);
  victim.costs -= its.load();
  --victim.in_flight;
  index_.unlist(victim, its);
  index_.changed(victim);
}

void cost_aware_stealing::began(task& task, instant) noexcept {
  auto& victim = record_of(*task.on);
  run_no_more(victim, record_of(task)); // corrects an assumed start
  run(victim, record_of(task), task.attempt().began);
  index_.changed(victim);
}

void cost_aware_stealing::ended(task& task, std::optional<duration> took,
                                instant) noexcept {
  auto& victim = record_of(*task.on);
  auto& its = record_of(task);
  run_no_more(victim, its);
  victim.costs -= its.load();
  --victim.in_flight;
  if (spare_.size() < most_spare)
    spare_.push_back(std::move(task.own_attempt().booked));
  task.own_attempt().booked = nullptr;
  index_.changed(victim);
  if (took)
    estimates_.add(task.kind(), *took);
}

void cost_aware_stealing::ticked(instant now) noexcept {
  catch_up(now);
}

// -- running tasks ------------------------------------------------------------

void cost_aware_stealing::run(victim_record& victim, steal_record& record,
                              instant since) noexcept {
  record.since = since;
  ++victim.running;
  victim.began += since.time_since_epoch().count();
  sort_in(record);
}

void cost_aware_stealing::run_no_more(victim_record& victim,
                                      steal_record& record) noexcept {
  if (record.since == never)
    return;
  running_.remove(record);
  --victim.running;
  victim.began -= record.since.time_since_epoch().count();
  victim.costs -= std::exchange(record.overrun, duration{0}).count();
  record.since = never;
}

/// Doubles the estimated cost of each task that has run for as long as its
/// estimate.
void cost_aware_stealing::catch_up(instant now) noexcept {
  while (!running_.empty() && running_.top().due() <= now) {
    auto& its = running_.top();
    auto cost = its.cost + its.overrun;
    auto before = cost;
    while (later(its.since, cost) <= now)
      cost *= 2;
    its.overrun += cost - before;
    sort_in(its);
    auto& victim = record_of(*its.task->on);
    victim.costs += (cost - before).count();
    index_.changed(victim);
  }
}

void cost_aware_stealing::sort_in(steal_record& record) {
  running_.put(record, record.due().time_since_epoch().count());
}

// -- choices ------------------------------------------------------------------

namespace {

/// Whether moving the task from the busy worker `victim` to the idle worker
/// `thief` costs less than waiting.
bool is_worth_it(const steal_record& its, const victim_record& victim,
                 const victim_record& thief, instant now) noexcept {
  auto move = move_to(*its.task, thief.worker->number);
  auto threshold = threshold_of(its, move);
  return threshold == 0 || threshold <= 2 * victim.load(now);
}

} // namespace

std::optional<takeover> cost_aware_stealing::choose(instant now) noexcept {
  if (!index_.has_tasks() || !index_.has_idle())
    return std::nullopt;
  catch_up(now);
  std::optional<takeover> result;
  index_.ask(now, [&](const victim_record& thief) {
    if (auto* chosen = choice_of(thief, now))
      result = takeover{chosen, thief.worker};
    return result.has_value();
  });
  return result;
}

/// Returns the task that the idle worker `thief` takes over; nullptr if there
/// is none.
task* cost_aware_stealing::choice_of(const victim_record& thief, instant now) {
  groups_.clear();
  for (const auto* each : index_.classes_of(thief))
    for (const auto& group : each->offers)
      groups_.push_back({group.second.begin(), group.second.end()});
  for (std::size_t looks = 0; looks < most_victims; ++looks) {
    const auto* victim = next_victim(now);
    if (victim == nullptr)
      return nullptr;
    if (auto* result = choice_from(*victim, thief, now))
      return result;
  }
  return nullptr;
}

/// Returns the busy worker with the largest load, of all workers that have a
/// task for the idle worker and were not examined yet. The workers of a group
/// have the same number of running tasks, and are sorted by load. The order of
/// workers in different groups changes as time passes.
const victim_record* cost_aware_stealing::next_victim(instant now) {
  auto has_more = [now](const victim_record& x, const victim_record& y) {
    auto left = x.load(now);
    auto right = y.load(now);
    return left != right ? left > right : x.worker->number < y.worker->number;
  };
  const victim_record* result = nullptr;
  for (const auto& each : groups_)
    if (each.next != each.end
        && (result == nullptr || has_more(*each.next->victim, *result)))
      result = each.next->victim;
  for (auto& each : groups_) // a victim may have offers in several classes
    if (each.next != each.end && each.next->victim == result)
      ++each.next;
  return result;
}

/// Returns the first task of the busy worker `victim` for which moving it to
/// the idle worker `thief` costs less than waiting.
task* cost_aware_stealing::choice_from(const victim_record& victim,
                                       const victim_record& thief,
                                       instant now) {
  offers_.clear();
  auto look_at = [this](const steal_offer& offer) {
    offers_.push_back({offer.tasks.begin(), offer.tasks.end()});
  };
  look_at(victim.for_all);
  for (const auto& each : victim.for_some)
    if (each.second.takers->permits(*thief.worker))
      look_at(each.second);
  for (std::size_t looks = 0; looks < most_looks; ++looks) {
    offer_left* next = nullptr;
    for (auto& each : offers_)
      if (each.next != each.end
          && (next == nullptr || moves_sooner{}(*each.next, *next->next)))
        next = &each;
    if (next == nullptr)
      return nullptr;
    const auto& its = *next->next++;
    if (is_worth_it(its, victim, thief, now))
      return its.task;
  }
  return nullptr;
}

instant cost_aware_stealing::next_tick() const noexcept {
  return running_.empty() ? never : running_.top().due();
}

} // namespace libpool
