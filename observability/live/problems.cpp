#include "libpool/observability/live/problems.hpp"

#include "libpool/core/errc.hpp"
#include "libpool/observability/live/answer_problems.hpp"
#include "libpool/observability/live/flow_problems.hpp"
#include "libpool/observability/live/number_words.hpp"
#include "libpool/observability/live/worker_problems.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>

namespace libpool::live {

namespace {

using namespace std::chrono_literals;

using problem_list = std::vector<problem>;

/// A pool, and what has happened in the window.
struct situation {
  const pool_sample& now;
  const recent_past& before;
  const pool_stats changed;
  /// Length of the window; 0 if there is none.
  const duration time;

  const pool_stats& stats() const {
    return now.stats;
  }

  std::string lately() const {
    return time == duration{0} ? "" : " in the last " + in_words(time);
  }
};

situation situation_of(const pool_sample& now, const recent_past& before) {
  if (before.beginning == nullptr)
    return {now, before, {}, duration{0}};
  return {now, before, now.stats.since(before.beginning->stats),
          now.at - before.beginning->at};
}

/// In the pool, whether bound to a worker or not.
std::uint64_t waiting_in(const pool_stats& stats) {
  return stats.tasks.waiting + stats.tasks.assigned;
}

void tell_no_workers(problem_list& all, const situation& in) {
  const auto& stats = in.stats();
  if (stats.workers > 0)
    return;
  auto waiting = waiting_in(stats);
  auto waits = waiting == 0
                 ? ""
                 : ", and " + grouped(waiting)
                     + (waiting == 1 ? " task waits" : " tasks wait");
  all.push_back({"no worker is left" + waits, "no-worker-is-left", true});
}

void tell_paused(problem_list& all, const situation& in) {
  const auto& stats = in.stats();
  auto waiting = waiting_in(stats);
  if (stats.is_paused && waiting > 0)
    all.push_back({"the pool is paused, and " + grouped(waiting)
                     + (waiting == 1 ? " task waits" : " tasks wait"),
                   "a-paused-pool"});
}

/// Returns what is known of the task that the worker runs, after a colon.
std::string described(const std::vector<running_task>& running,
                      std::uint64_t worker) {
  auto i = std::find_if(running.begin(), running.end(),
                        [=](const auto& x) { return x.worker == worker; });
  if (i == running.end())
    return {};
  auto result = ": task " + std::to_string(i->task);
  if (!i->kind.empty())
    result += " (" + i->kind + ')';
  if (!i->flow.empty())
    result += " of flow " + i->flow;
  return i->trace.empty() ? result : result + ", trace " + i->trace;
}

constexpr auto cure_of_stuck = "a-stuck-handler";

void tell_stuck(problem_list& all, const situation& in) {
  constexpr std::size_t most_told = 3;
  const auto& stats = in.stats();
  auto least = long_run(stats);
  struct run {
    duration time;
    const member_stats* member;
  };
  std::vector<run> stuck;
  for (const auto& each : stats.members)
    if (auto time = age(each.running_since, stats.taken); time >= least)
      stuck.push_back({time, &each});
  std::stable_sort(stuck.begin(), stuck.end(),
                   [](const run& x, const run& y) { return x.time > y.time; });
  for (std::size_t i = 0; i < std::min(most_told, stuck.size()); ++i) {
    const auto& [time, member] = stuck[i];
    all.push_back({name_of(*member) + " has run one task for " + in_words(time)
                     + described(in.now.running, member->number),
                   cure_of_stuck, false, member->number});
  }
  if (stuck.size() > most_told)
    all.push_back(
      {stuck.size() == most_told + 1
         ? "1 more worker runs a long task"
         : grouped(stuck.size() - most_told) + " more workers run long tasks",
       cure_of_stuck});
}

/// The reasons, the most frequent first.
std::string reasons_in_words(const reason_counts& counts) {
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  counts.for_each([&](errc why, std::uint64_t n) {
    reasons.emplace_back(n, to_string(why));
  });
  std::sort(reasons.rbegin(), reasons.rend());
  std::string result;
  for (const auto& [n, why] : reasons)
    result += (result.empty() ? "" : "; ") + why
              + (reasons.size() > 1 ? " (" + grouped(n) + ")" : "");
  return result;
}

void tell_refusals(problem_list& all, const situation& in) {
  if (in.changed.refused > 0)
    all.push_back({counted(in.changed.refused, "message")
                     + (in.changed.refused == 1 ? " was" : " were") + " refused"
                     + in.lately() + ": "
                     + reasons_in_words(in.changed.refusals),
                   "refused-messages", true});
}

std::string all_of(std::size_t workers) {
  return workers == 1 ? "the only worker was"
                      : "all " + grouped(workers) + " workers were";
}

/// Whether more came than was done between the two samples.
bool falls_behind(const pool_stats& earlier, const pool_stats& later) {
  return waiting_in(later) > waiting_in(earlier)
         || later.refused > earlier.refused;
}

/// Whether the pool falls behind all the time: not one that has been given a
/// batch, and works it off.
bool keeps_falling_behind(const situation& in) {
  const auto* beginning = in.before.beginning;
  const auto* middle = in.before.middle;
  if (beginning == nullptr)
    return false;
  if (middle == nullptr)
    return falls_behind(beginning->stats, in.stats());
  return falls_behind(beginning->stats, middle->stats)
         && falls_behind(middle->stats, in.stats());
}

std::string rate_in_words(std::uint64_t count, duration time) {
  auto in_seconds = std::chrono::duration<double>{time}.count();
  return grouped(static_cast<std::uint64_t>(
    std::llround(static_cast<double>(count) / in_seconds)));
}

std::string waiting_in_words(const pool_stats& stats) {
  auto waiting = waiting_in(stats);
  auto oldest = age(stats.oldest_waiting, stats.taken);
  return grouped(waiting) + (waiting == 1 ? " waits" : " wait")
         + (oldest > duration{0} ? ", the oldest for " + in_words(oldest) : "");
}

bool is_stuck(const pool_stats& stats) {
  return age(stats.longest_running, stats.taken) >= long_run(stats);
}

void tell_all_busy(problem_list& all, const situation& in) {
  constexpr auto nearly_always = 0.95;
  const auto& stats = in.stats();
  const auto* since = in.before.workers;
  auto busy = busy_share(in.now, since);
  if (stats.workers == 0 || !busy || *busy < nearly_always || in.time < 1s
      || !is_crowded(in.now, in.before) || !keeps_falling_behind(in))
    return;
  all.push_back({all_of(stats.workers) + " busy for " + percent(*busy)
                   + " of the last " + in_words(in.now.at - since->at) + ": "
                   + rate_in_words(arrived(in.changed.tasks), in.time)
                   + " tasks per second arrive and "
                   + rate_in_words(in.changed.tasks.completed, in.time)
                   + " are completed; " + waiting_in_words(stats),
                 is_stuck(stats) ? cure_of_stuck : "too-few-workers"});
}

void tell_held(problem_list& all, const situation& in) {
  const auto* middle = in.before.middle;
  const auto* since = in.before.workers;
  const auto& stats = in.stats();
  auto was_so = middle == nullptr || middle->stats.held > 0;
  if (stats.held == 0 || !was_so || in.time < 1s)
    return;
  auto idle = idle_others(in.now, since, busiest(in.now, since));
  if (!idle.empty())
    all.push_back({grouped(stats.held)
                     + (stats.held == 1 ? " task waits" : " tasks wait")
                     + " for particular workers, " + idle,
                   "a-hot-key"});
}

void tell_crashes(problem_list& all, const situation& in) {
  auto crashed = in.changed.departed.crashed;
  if (crashed > 0)
    all.push_back({counted(crashed, "worker") + " crashed" + in.lately(),
                   "crashing-workers", true});
}

void tell_failures(problem_list& all, const situation& in) {
  constexpr auto many = 0.01;
  const auto& tasks = in.changed.tasks;
  auto settled = tasks.completed + tasks.failed + tasks.cancelled;
  auto share = settled == 0 ? 0
                            : static_cast<double>(tasks.failed)
                                / static_cast<double>(settled);
  if (share >= many)
    all.push_back({percent(share) + " of the tasks failed" + in.lately() + ": "
                     + reasons_in_words(in.changed.errors),
                   "failing-tasks", true});
}

void tell_overdue(problem_list& all, const situation& in) {
  auto overdue = in.stats().overdue;
  if (overdue > 0)
    all.push_back({counted(overdue, "worker")
                     + (overdue == 1 ? " runs a task" : " run tasks")
                     + " whose client no longer waits",
                   "overdue-tasks"});
}

} // namespace

duration long_run(const pool_stats& stats) {
  constexpr auto least = duration{5s};
  constexpr auto unknown = duration{30s};
  const auto& services = stats.total.services;
  return services.count() == 0 ? unknown
                               : std::max(least, 10 * services.percentile(99));
}

problem_list problems_of(const pool_sample& now, const recent_past& before) {
  auto in = situation_of(now, before);
  problem_list result;
  for (auto* tell : {tell_no_workers, tell_paused, tell_stuck})
    tell(result, in);
  tell_limited(result, now, before);
  tell_flood(result, now, before);
  for (auto* tell : {tell_crashes, tell_failures})
    tell(result, in);
  tell_error_answers(result, now, before);
  for (auto* tell : {tell_all_busy, tell_refusals, tell_held, tell_overdue})
    tell(result, in);
  tell_uneven(result, now, before.workers);
  tell_slow_workers(result, now.stats);
  tell_tiny(result, in.changed, in.time);
  return result;
}

problem_list problems_of(const pipeline_stats& now,
                         const std::vector<stage_past>& stages) {
  auto full = last_full(now, stages);
  if (!full)
    return {};
  auto result = "stage " + now.stages[*full].name + " is full";
  if (now.waiting > 0)
    result += ", " + grouped(now.waiting)
              + (now.waiting == 1 ? " item waits" : " items wait")
              + " to enter the pipeline";
  return {{result, "a-full-stage"}};
}

} // namespace libpool::live
