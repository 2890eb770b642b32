#include "libpool/observability/live/flow_problems.hpp"

#include "libpool/observability/live/number_words.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace libpool::live {

namespace {

using namespace std::chrono_literals;

/// Calls `f` with the stats and the groups of each sample of the last ten
/// seconds, the present one included.
template <class F>
void for_each_sample(const pool_sample& now, const recent_past& before, F f) {
  for (const auto* each : before.samples)
    f(each->stats, each->groups);
  f(now.stats, now.groups);
}

/// Returns the mean of `number_of` over the last ten seconds.
template <class F>
double mean_of(const pool_sample& now, const recent_past& before, F number_of) {
  double sum = 0;
  for_each_sample(now, before, [&](const pool_stats& stats, const auto&) {
    sum += static_cast<double>(number_of(stats));
  });
  return sum / static_cast<double>(before.samples.size() + 1);
}

/// Number of waiting tasks that do not wait for the time of a retry.
std::uint64_t waiting_now(const pool_stats& stats) {
  auto all = stats.tasks.waiting + stats.tasks.assigned;
  return all - std::min(all, stats.retrying);
}

double waiting_in(const pool_sample& now, const recent_past& before) {
  return mean_of(now, before, waiting_now);
}

/// Number of waiting tasks that limits or pauses hold back.
std::uint64_t held_back(const pool_stats& stats) {
  auto result = stats.parked;
  for (const auto& each : stats.limits)
    if (each.is_of_pool)
      result += each.parked;
  return result;
}

bool is_limited(const pool_sample& now, const recent_past& before) {
  return 2 * mean_of(now, before, held_back) > waiting_in(now, before);
}

/// The limit as a noun with its owner: "its limit of 20/s".
std::string limit_in_words(const limit_stats& stats) {
  constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
  std::string owner = stats.is_of_pool ? "the pool's " : "its ";
  auto rate = stats.per_second > 0 ? number_in_words(stats.per_second) + "/s"
                                   : "";
  auto most = stats.most_running != unlimited
                ? grouped(stats.most_running) + " running tasks"
                : "";
  if (stats.is_paused)
    return "a pause";
  if (!rate.empty() && !most.empty())
    return owner + "limits of " + rate + " and " + most;
  return owner + "limit of " + rate + most;
}

/// Limits that have held back tasks in the last ten seconds, those with the
/// most tasks first, with the mean number of tasks.
std::vector<limit_stats> limits_of(const pool_sample& now,
                                   const recent_past& before) {
  std::map<std::pair<bool, std::string>, limit_stats> latest;
  for_each_sample(now, before, [&](const pool_stats& stats, const auto&) {
    for (const auto& each : stats.limits) {
      auto& known = latest[{each.is_of_pool, each.name}];
      auto sum = known.parked + each.parked;
      known = each;
      known.parked = sum;
    }
  });
  std::vector<limit_stats> result;
  auto samples = before.samples.size() + 1;
  for (auto& [name, each] : latest) {
    each.parked = std::max<std::uint64_t>(1, each.parked / samples);
    result.push_back(std::move(each));
  }
  std::stable_sort(
    result.begin(), result.end(),
    [](const auto& x, const auto& y) { return x.parked > y.parked; });
  return result;
}

std::string limited_in_words(const limit_stats& stats) {
  auto flow = stats.is_of_pool     ? ""
              : stats.name.empty() ? " without a flow"
                                   : " of flow " + stats.name;
  return counted(stats.parked, "waiting task") + flow
         + (stats.parked == 1 ? " is" : " are") + " held back by "
         + limit_in_words(stats);
}

/// Sums of numbers of tasks by name, over the last ten seconds.
using sums = std::map<std::string, double>;

std::pair<std::string, double> largest_of(const sums& all) {
  return *std::max_element(
    all.begin(), all.end(),
    [](const auto& x, const auto& y) { return x.second < y.second; });
}

/// Waiting tasks by flow or client, summed over the samples that tell them.
struct waiting_by_name {
  sums by_name = {};
  double all = 0;

  template <class Row>
  void add(const std::vector<Row>& rows, const pool_stats& stats) {
    for (const auto& each : rows)
      by_name[each.name] += static_cast<double>(each.waiting);
    if (!rows.empty())
      all += static_cast<double>(waiting_now(stats));
  }
};

/// Returns the present number of waiting tasks in the row of that name.
template <class Row>
std::uint64_t waiting_of(const std::vector<Row>& rows,
                         const std::string& name) {
  for (const auto& each : rows)
    if (each.name == name)
      return each.waiting;
  return 0;
}

/// The flow or client as a text; empty if it is none that can be named.
std::string in_words(const std::string& name, const pool_sample& now) {
  if (!now.stats.flows.empty() || !now.groups_are_clients)
    return name.empty() ? "work without a flow" : "flow " + name;
  auto is_one = !name.empty() && name != "(others)";
  return is_one ? "client " + name : std::string{};
}

} // namespace

bool is_crowded(const pool_sample& now, const recent_past& before) {
  constexpr std::uint64_t many_per_slot = 10;
  auto slots = std::max<std::size_t>(now.stats.slots, 1);
  auto oldest = mean_of(now, before, [](const pool_stats& stats) {
    return age(stats.oldest_waiting, stats.taken).count();
  });
  auto waiting = mean_of(now, before, [](const pool_stats& stats) {
    return stats.tasks.waiting + stats.tasks.assigned;
  });
  return waiting > static_cast<double>(many_per_slot * slots)
         || oldest >= static_cast<double>(duration{1s}.count());
}

void tell_limited(std::vector<problem>& problems, const pool_sample& now,
                  const recent_past& before) {
  constexpr std::size_t most_told = 3;
  if (!is_crowded(now, before) || !is_limited(now, before))
    return;
  auto rows = limits_of(now, before);
  for (std::size_t i = 0; i < std::min(most_told, rows.size()); ++i)
    problems.push_back({limited_in_words(rows[i]), "tasks-at-limits"});
  if (rows.size() > most_told)
    problems.push_back({"limits or pauses hold back tasks of "
                          + counted(rows.size() - most_told, "more flow"),
                        "tasks-at-limits"});
}

void tell_flood(std::vector<problem>& problems, const pool_sample& now,
                const recent_past& before) {
  constexpr auto nearly_all = 0.9;
  auto busy = mean_of(now, before, [](const pool_stats& stats) {
    return static_cast<double>(stats.busy)
           / static_cast<double>(std::max<std::size_t>(stats.workers, 1));
  });
  if (busy < nearly_all || !is_crowded(now, before) || is_limited(now, before))
    return;
  waiting_by_name flows;
  waiting_by_name groups;
  for_each_sample(now, before, [&](const pool_stats& stats, const auto& rows) {
    flows.add(stats.flows, stats);
    groups.add(rows, stats);
  });
  const auto& waiting = flows.by_name.empty() ? groups : flows;
  if (waiting.by_name.size() < 2)
    return;
  auto [name, sum] = largest_of(waiting.by_name);
  auto who = in_words(name, now);
  if (2 * sum <= waiting.all || who.empty())
    return;
  auto present = flows.by_name.empty() ? waiting_of(now.groups, name)
                                       : waiting_of(now.stats.flows, name);
  problems.push_back(
    {who + " floods the pool: " + grouped(present) + " of "
       + grouped(now.stats.tasks.waiting + now.stats.tasks.assigned)
       + " waiting tasks",
     "a-flooding-tenant"});
}

} // namespace libpool::live
