#include "libpool/policies/cost_aware_stealing.hpp"

#include "libpool/core/restriction.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace libpool {

namespace {

using wide = victim_record::wide;

constexpr std::size_t most_victims = 4;
constexpr std::size_t most_looks = 16; // at tasks of each

/// Kinds beyond that many are not told apart.
constexpr std::size_t most_kinds = 65'536;

victim_record& record_of(const worker& who) noexcept {
  return static_cast<victim_record&>(*who.booked);
}

steal_record& record_of(const task& what) noexcept {
  return static_cast<steal_record&>(*what.booked);
}

/// Whether anybody else could ever get it.
bool may_be_stolen(const task& what) noexcept {
  return !what.key
         && (what.where == nullptr || what.where->loose
             || what.where->only.size() > 1);
}

bool may_run_on(const task& what, const worker& thief) noexcept {
  return what.where == nullptr || what.where->loose
         || permits(*what.where, thief.number);
}

/// Of its dearest move, compared with its cost.
std::size_t level_of(const task& what, duration cost) noexcept {
  auto dearest = dearest_move(what);
  if (dearest.count() <= 0)
    return 0;
  constexpr auto middle = static_cast<int>(victim_record::levels) / 2;
  auto power = std::ilogb(static_cast<double>(dearest.count())
                          / static_cast<double>(cost.count()));
  return static_cast<std::size_t>(
    std::clamp(power + middle, 1, static_cast<int>(victim_record::levels) - 1));
}

} // namespace

cost_aware_stealing::cost_aware_stealing(const stealing_options& options)
  : options_(options) {
  check(options);
}

// -- facts about workers ------------------------------------------------------

void cost_aware_stealing::joined(worker& who, instant) noexcept {
  who.booked = std::make_unique<victim_record>(who);
}

void cost_aware_stealing::left(worker& who, instant) noexcept {
  who.booked = nullptr;
}

// -- facts about tasks --------------------------------------------------------

void cost_aware_stealing::assigned(task& what, instant) noexcept {
  auto& who = record_of(*what.on);
  if (what.booked == nullptr) {
    auto cost = what.estimate.value_or(estimate(what.kind));
    what.booked = std::make_unique<steal_record>(what, cost);
    record_of(what).level = level_of(what, record_of(what).cost);
  }
  auto& its = record_of(what);
  its.move = move_to(what, who.who->number);
  who.costs += its.load();
  list(who, its);
}

void cost_aware_stealing::sent(task& what, instant) noexcept {
  unlist(record_of(*what.on), record_of(what));
}

void cost_aware_stealing::parted(task& what, instant) noexcept {
  auto& who = record_of(*what.on);
  auto& its = record_of(what);
  who.costs -= its.load();
  unlist(who, its);
}

void cost_aware_stealing::began(task& what, instant) noexcept {
  auto& who = record_of(*what.on);
  run_no_more(who, record_of(what)); // it was presumed to have begun then
  run(who, record_of(what), what.began);
  sort(who);
}

void cost_aware_stealing::ended(task& what, std::optional<duration> took,
                                instant) noexcept {
  auto& who = record_of(*what.on);
  auto& its = record_of(what);
  run_no_more(who, its);
  who.costs -= its.load();
  what.booked = nullptr;
  sort(who);
  if (took)
    learn(what.kind, *took);
}

void cost_aware_stealing::ticked(instant now) noexcept {
  catch_up(now);
}

// -- what runs ----------------------------------------------------------------

void cost_aware_stealing::run(victim_record& who, steal_record& what,
                              instant since) noexcept {
  what.since = since;
  ++who.running;
  who.began += since.time_since_epoch().count();
  running_.insert(what);
}

void cost_aware_stealing::run_no_more(victim_record& who,
                                      steal_record& what) noexcept {
  if (what.since == never)
    return;
  running_.erase(running_.iterator_to(what));
  --who.running;
  who.began -= what.since.time_since_epoch().count();
  who.costs -= std::exchange(what.overrun, duration{0}).count();
  what.since = never;
}

/// What has run for as long as it was taken to need is taken to need twice as
/// long.
void cost_aware_stealing::catch_up(instant now) noexcept {
  while (!running_.empty() && running_.begin()->due() <= now) {
    auto& its = *running_.begin();
    running_.erase(running_.begin());
    auto cost = its.cost + its.overrun;
    auto before = cost;
    while (later(its.since, cost) <= now)
      cost *= 2;
    its.overrun += cost - before;
    running_.insert(its);
    auto& who = record_of(*its.what->on);
    who.costs += (cost - before).count();
    sort(who);
  }
}

// -- who has something to steal -----------------------------------------------

void cost_aware_stealing::list(victim_record& who,
                               steal_record& what) noexcept {
  if (may_be_stolen(*what.what)) {
    auto& level = who.stealable[what.level];
    level.insert(level.end(), what);
    who.mask |= std::uint64_t{1} << what.level;
  }
  sort(who);
}

void cost_aware_stealing::unlist(victim_record& who,
                                 steal_record& what) noexcept {
  if (what.level_hook.is_linked()) {
    auto& level = who.stealable[what.level];
    level.erase(level.iterator_to(what));
    if (level.empty())
      who.mask &= ~(std::uint64_t{1} << what.level);
  }
  sort(who);
}

/// Has the worker be found by what it has to do, if it has something that may
/// be stolen.
void cost_aware_stealing::sort(victim_record& who) noexcept {
  if (who.hook.is_linked()) {
    auto group = victims_.find(who.group);
    group->second.erase(group->second.iterator_to(who));
    if (group->second.empty())
      victims_.erase(group);
  }
  if (who.mask == 0)
    return;
  who.group = who.running;
  who.key = who.costs + who.began;
  victims_[who.group].insert(who);
}

// -- estimates ----------------------------------------------------------------

duration cost_aware_stealing::estimate(std::uint64_t kind) const noexcept {
  if (auto i = kinds_.find(kind); i != kinds_.end())
    return i->second.value();
  if (kinds_.empty())
    return options_.initial_estimate;
  return duration{static_cast<duration::rep>(
    sum_of_kinds_ / static_cast<double>(kinds_.size()))};
}

void cost_aware_stealing::learn(std::uint64_t kind, duration took) noexcept {
  auto i = kinds_.find(kind);
  if (i == kinds_.end()) {
    if (kinds_.size() >= most_kinds)
      return;
    i = kinds_.emplace(kind, ewma{options_.alpha}).first;
  } else {
    sum_of_kinds_ -= static_cast<double>(i->second.value().count());
  }
  i->second.add(took);
  sum_of_kinds_ += static_cast<double>(i->second.value().count());
}

// -- choices ------------------------------------------------------------------

namespace {

/// Whether the thief, which has nothing to do, should have the task.
bool is_worth_it(const steal_record& what, const victim_record& victim,
                 const worker& thief, instant now) noexcept {
  wide move = move_to(*what.what, thief.number).count();
  wide cost = what.cost.count();
  wide move_back = what.move.count();
  return move <= move_back
         || 2 * (move + cost) <= 2 * victim.load(now) - (move_back + cost);
}

/// The first of its tasks that the thief should have.
task* chosen_from(const victim_record& victim, const worker& thief,
                  instant now) noexcept {
  std::size_t looks = 0;
  for (auto mask = victim.mask; mask != 0; mask &= mask - 1) {
    auto level = static_cast<std::size_t>(__builtin_ctzll(mask));
    for (const auto& each : victim.stealable[level]) {
      if (may_run_on(*each.what, thief)
          && is_worth_it(each, victim, thief, now))
        return each.what;
      if (++looks == most_looks)
        return nullptr;
    }
  }
  return nullptr;
}

} // namespace

task* cost_aware_stealing::choose(const worker& thief, instant now) noexcept {
  catch_up(now);
  // Within a group the order is that of the loads; between groups it changes.
  struct cursor {
    victims_by_load::const_iterator next;
    victims_by_load::const_iterator end;
  };
  std::vector<cursor> groups;
  for (const auto& each : victims_)
    groups.push_back({each.second.begin(), each.second.end()});
  auto has_less = [now](const cursor& x, const cursor& y) {
    auto left = x.next->load(now);
    auto right = y.next->load(now);
    return left != right ? left < right
                         : y.next->who->number < x.next->who->number;
  };
  for (std::size_t looks = 0; looks < most_victims && !groups.empty();) {
    auto richest = std::max_element(groups.begin(), groups.end(), has_less);
    const auto& victim = *richest->next;
    if (victim.who->in_flight >= 2) {
      ++looks;
      if (auto* result = chosen_from(victim, thief, now))
        return result;
    }
    if (++richest->next == richest->end)
      groups.erase(richest);
  }
  return nullptr;
}

instant cost_aware_stealing::next_tick() const noexcept {
  return running_.empty() ? never : running_.begin()->due();
}

} // namespace libpool
