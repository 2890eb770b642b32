#include "libpool/live/matters.hpp"

#include "libpool/core/errc.hpp"
#include "libpool/live/words.hpp"
#include "libpool/live/worker_matters.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace libpool::live {

namespace {

using namespace std::chrono_literals;

using sentences = std::vector<std::string>;

/// A pool, and what has happened in the window.
struct situation {
  const pool_sample& now;
  const pool_stats changed;
  /// "in the last 10 s".
  const std::string lately;

  const pool_stats& stats() const {
    return now.stats;
  }
};

situation situation_of(const pool_sample& now, const past_sample* beginning) {
  if (beginning == nullptr)
    return {now, {}, {}};
  return {now, now.stats.since(beginning->stats),
          " in the last " + in_words(now.at - beginning->at)};
}

duration age(instant begun, instant now) {
  return begun == never || begun > now ? duration{0} : now - begun;
}

/// In the pool, whether bound to a worker or not.
std::uint64_t waiting_in(const pool_stats& stats) {
  return stats.tasks.waiting + stats.tasks.assigned;
}

void tell_no_workers(sentences& to, const situation& in) {
  const auto& stats = in.stats();
  if (stats.workers > 0)
    return;
  auto waiting = waiting_in(stats);
  to.push_back(waiting > 0 ? "no worker is left, and " + grouped(waiting)
                               + (waiting == 1 ? " task waits" : " tasks wait")
                           : "no worker is left");
}

/// Longer than nearly all tasks have taken.
duration long_run(const histogram& services) {
  constexpr auto least = duration{5s};
  constexpr auto unknown = duration{30s};
  return services.count() == 0 ? unknown
                               : std::max(least, 10 * services.percentile(99));
}

std::string name_of(const member_stats& member) {
  return "worker " + std::to_string(member.number);
}

void tell_stuck(sentences& to, const situation& in) {
  constexpr std::size_t most_told = 3;
  const auto& stats = in.stats();
  auto least = long_run(stats.total.services);
  std::vector<std::pair<duration, std::string>> stuck;
  for (const auto& each : stats.members)
    if (auto time = age(each.running_since, stats.taken); time >= least)
      stuck.emplace_back(time, name_of(each) + " has run one task for "
                                 + in_words(time));
  std::sort(stuck.rbegin(), stuck.rend());
  for (std::size_t i = 0; i < std::min(most_told, stuck.size()); ++i)
    to.push_back(stuck[i].second);
  if (stuck.size() > most_told)
    to.push_back("so have " + counted(stuck.size() - most_told, "other worker")
                 + ", for less");
}

bool is_crowded(const pool_stats& stats) {
  constexpr std::uint64_t many = 10;
  return waiting_in(stats) > many * std::max<std::size_t>(stats.slots, 1)
         || age(stats.oldest_waiting, stats.taken) >= 1s;
}

void tell_flood(sentences& to, const situation& in) {
  const auto& stats = in.stats();
  if (stats.flows.size() < 2 || !is_crowded(stats))
    return;
  const auto& first = stats.flows.front();
  if (2 * first.waiting > stats.tasks.waiting)
    to.push_back((first.name.empty() ? "work without a flow" : first.name)
                 + " floods: " + grouped(first.waiting) + " of "
                 + grouped(stats.tasks.waiting) + " waiting");
}

/// The reasons, the most frequent first.
std::string in_words(const reason_counts& counts) {
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

void tell_refusals(sentences& to, const situation& in) {
  if (in.changed.refused > 0)
    to.push_back(counted(in.changed.refused, "message") + " refused" + in.lately
                 + ": " + in_words(in.changed.refusals));
}

std::string all_of(std::size_t workers) {
  return workers == 1 ? "the only worker is busy"
                      : "all " + grouped(workers) + " workers are busy";
}

void tell_all_busy(sentences& to, const situation& in) {
  const auto& stats = in.stats();
  if (stats.workers == 0 || stats.busy < stats.workers || !is_crowded(stats))
    return;
  auto waiting = waiting_in(stats);
  if (waiting == 0)
    return;
  auto oldest = age(stats.oldest_waiting, stats.taken);
  to.push_back(all_of(stats.workers) + ", " + grouped(waiting)
               + (waiting == 1 ? " waits" : " wait")
               + (oldest > duration{0}
                    ? ", the oldest for " + live::in_words(oldest)
                    : ""));
}

void tell_held(sentences& to, const situation& in) {
  const auto& stats = in.stats();
  if (stats.held == 0 || stats.busy >= stats.workers)
    return;
  to.push_back(grouped(stats.held)
               + (stats.held == 1 ? " task waits" : " tasks wait")
               + " for particular workers, while "
               + counted(stats.workers - stats.busy, "other")
               + (stats.workers - stats.busy == 1 ? " is idle" : " are idle"));
}

void tell_crashes(sentences& to, const situation& in) {
  auto crashed = in.changed.departed.crashed;
  if (crashed > 0)
    to.push_back(counted(crashed, "worker") + " crashed" + in.lately);
}

void tell_failures(sentences& to, const situation& in) {
  constexpr auto many = 0.01;
  const auto& tasks = in.changed.tasks;
  auto settled = tasks.completed + tasks.failed + tasks.cancelled;
  auto share = settled == 0 ? 0
                            : static_cast<double>(tasks.failed)
                                / static_cast<double>(settled);
  if (share >= many)
    to.push_back(percent(share) + " of the tasks failed" + in.lately + ": "
                 + in_words(in.changed.errors));
}

void tell_overdue(sentences& to, const situation& in) {
  auto overdue = in.stats().overdue;
  if (overdue > 0)
    to.push_back(counted(overdue, "worker")
                 + (overdue == 1 ? " runs a task" : " run tasks")
                 + " whose answer nobody waits for");
}

/// Where a line is held up: the stages before are full since this one is.
const stage_stats* last_full(const pipeline_stats& of) {
  auto i = std::find_if(of.stages.rbegin(), of.stages.rend(),
                        [](const auto& x) { return x.held >= x.credit; });
  return i == of.stages.rend() ? nullptr : &*i;
}

} // namespace

sentences matters_of(const pool_sample& now, const past_sample* beginning) {
  auto in = situation_of(now, beginning);
  sentences result;
  for (auto* tell :
       {tell_no_workers, tell_stuck, tell_flood, tell_crashes, tell_failures,
        tell_all_busy, tell_refusals, tell_held, tell_overdue})
    tell(result, in);
  tell_uneven(result, now.stats);
  tell_slow_workers(result, now.stats);
  if (beginning != nullptr)
    tell_tiny(result, in.changed, now.at - beginning->at);
  return result;
}

sentences matters_of(const pipeline_stats& now) {
  const auto* full = last_full(now);
  if (full == nullptr)
    return {};
  auto result = "stage " + full->name + " is full";
  if (now.waiting > 0)
    result += ", " + grouped(now.waiting)
              + (now.waiting == 1 ? " item waits" : " items wait")
              + " to get in";
  return {result};
}

} // namespace libpool::live
