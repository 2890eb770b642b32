#include "libpool/metrics/pool_families.hpp"

#include "libpool/core/errc.hpp"
#include "libpool/metrics/table.hpp"
#include "libpool/version.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace libpool::detail {

namespace {

using of = const seen_pool&;

/// Why managed pools refuse tasks, and why tasks are not completed. A series of
/// each is there from the start, since a rate needs a first value.
constexpr std::array refusals{errc::no_workers,      errc::policy_failed,
                              errc::cycle,           errc::pool_closed,
                              errc::queue_full,      errc::no_streams,
                              errc::flow_full,       errc::too_wide,
                              errc::too_few_workers, errc::not_serializable};
constexpr std::array errors{
  errc::no_workers,        errc::worker_down, errc::pool_closed,
  errc::worker_crashed,    errc::queue_full,  errc::deadline_exceeded,
  errc::poisoned,          errc::client_gone, errc::not_needed,
  errc::retries_exhausted, errc::node_lost,   errc::unreadable};

/// The counts of those reasons, and of others that have come up.
template <class Reasons>
void add_reasons(series& to, const reason_counts& counts,
                 const Reasons& usual) {
  for (auto why : usual)
    to.add(counts[why], {{"reason", name_of(why)}});
  counts.for_each([&](errc why, std::uint64_t count) {
    if (std::find(std::begin(usual), std::end(usual), why) == std::end(usual))
      to.add(count, {{"reason", name_of(why)}});
  });
}

/// How long ago that was; zero if nothing is so old.
double age(instant since, instant now) {
  return since < now ? seconds(now - since) : 0;
}

std::string policy_of(of pool) {
  if (!pool.is_managed())
    return "direct";
  return pool.stats.policy.empty() ? "own" : label_text(pool.stats.policy);
}

// -- of all pools -------------------------------------------------------------

// NOLINTNEXTLINE(modernize-avoid-c-arrays): counts its rows by itself
constexpr metric<seen_pool> of_all[] = {
  {"pool_info", gauge,
   "Policy of the pool and version of libpool, as labels; always 1.",
   [](of pool, series& to) {
     to.add(1,
            {{"policy", policy_of(pool)}, {"version", std::string{version}}});
   }},
  {"workers", gauge,
   "Workers by state: idle, busy, or leaving (removed, but still with a task). "
   "A direct pool does not know these states, and shows all workers with the "
   "state serving.",
   [](of pool, series& to) {
     const auto& now = pool.stats;
     if (!pool.is_managed())
       return to.add(now.workers, {{"state", "serving"}});
     to.add(now.workers - now.busy, {{"state", "idle"}});
     to.add(now.busy, {{"state", "busy"}});
     to.add(now.leaving, {{"state", "leaving"}});
   }},
  {"tasks_refused_total", counter,
   "Refused tasks, by reason; unknown if the pool is direct.",
   [](of pool, series& to) {
     if (!pool.is_managed())
       return to.add(pool.stats.refused, {{"reason", "unknown"}});
     add_reasons(to, pool.stats.refusals, refusals);
   }},
};

// -- of managed pools ---------------------------------------------------------

// NOLINTNEXTLINE(modernize-avoid-c-arrays): counts its rows by itself
constexpr metric<seen_pool> of_managed[] = {
  {"worker_slots", gauge,
   "Number of tasks that the workers can run at the same time.",
   [](of pool, series& to) { to.add(pool.stats.slots); }},
  {"worker_restarts_total", counter, "Crashed workers that were replaced.",
   [](of pool, series& to) { to.add(pool.stats.restarts); }},
  {"workers_left_total", counter,
   "Workers that left, by reason: removed, crashed (or lost with their node), "
   "or ended without a crash.",
   [](of pool, series& to) {
     const auto& left = pool.stats.departed;
     to.add(left.removed, {{"reason", "removed"}});
     to.add(left.crashed, {{"reason", "crashed"}});
     to.add(left.ended, {{"reason", "ended"}});
   }},
  {"tasks", gauge,
   "Open tasks by state: waiting, assigned to a worker, sent to a worker, or "
   "running.",
   [](of pool, series& to) {
     const auto& now = pool.stats.tasks;
     to.add(now.waiting, {{"state", "waiting"}});
     to.add(now.assigned, {{"state", "assigned"}});
     to.add(now.sent, {{"state", "sent"}});
     to.add(now.running, {{"state", "running"}});
   }},
  {"tasks_held", gauge, "Waiting tasks that only particular workers may run.",
   [](of pool, series& to) { to.add(pool.stats.held); }},
  {"tasks_overdue", gauge, "Settled tasks whose handlers still run.",
   [](of pool, series& to) { to.add(pool.stats.overdue); }},
  {"task_capacity", gauge,
   "Maximum number of waiting tasks; absent if unlimited.",
   [](of pool, series& to) {
     if (pool.stats.capacity != pool_stats::unlimited)
       to.add(pool.stats.capacity);
   }},
  {"tasks_accepted_total", counter, "Accepted tasks.",
   [](of pool, series& to) { to.add(pool.stats.tasks.accepted); }},
  {"tasks_settled_total", counter, "Settled tasks, by outcome.",
   [](of pool, series& to) {
     const auto& now = pool.stats.tasks;
     to.add(now.completed, {{"outcome", "completed"}});
     to.add(now.failed, {{"outcome", "failed"}});
     to.add(now.cancelled, {{"outcome", "cancelled"}});
   }},
  {"task_errors_total", counter,
   "Failed and cancelled tasks, by reason; worker_error: completed tasks whose "
   "worker answered with an error.",
   [](of pool, series& to) {
     add_reasons(to, pool.stats.errors, errors);
     to.add(pool.stats.answered_with_error, {{"reason", "worker_error"}});
   }},
  {"task_retries_total", counter,
   "Number of times that tasks were run again after they had crashed their "
   "workers.",
   [](of pool, series& to) { to.add(pool.stats.retries); }},
  {"tasks_stolen_total", counter,
   "Tasks that workers took over from other workers.",
   [](of pool, series& to) { to.add(pool.stats.total.stolen); }},
  {"homes_lost_total", counter,
   "Tasks whose home, the worker that has the data of the task, was not in the "
   "pool; counted only if workers are assigned when tasks arrive (eager "
   "assignment).",
   [](of pool, series& to) { to.add(pool.stats.lost_homes); }},
  {"gathers_total", counter,
   "Messages that were each handled by several tasks.",
   [](of pool, series& to) { to.add(pool.stats.gathered); }},
  {"hedges_total", counter,
   "Messages that were sent to a second worker because the first worker did "
   "not answer in time.",
   [](of pool, series& to) { to.add(pool.stats.hedged); }},
  {"flow_waiting", gauge,
   "Waiting tasks of a flow; only flows with the most waiting tasks are "
   "listed.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows, [](auto& x) { return x.waiting; });
   }},
  {"flow_running", gauge, "Tasks of a flow in flight.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows, [](auto& x) { return x.running; });
   }},
  {"flow_served_total", counter, "Tasks of a flow whose handlers have ended.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows, [](auto& x) { return x.served; });
   }},
  {"flow_refused_total", counter, "Refused tasks of a flow.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows, [](auto& x) { return x.refused; });
   }},
  {"flow_lag_seconds", gauge,
   "Service that a flow should have had by its share and has not had, in "
   "seconds of one seat of a worker; negative if the flow has had more than "
   "its share.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows,
                 [](auto& x) { return seconds(x.lag); });
   }},
  {"worker_in_flight", gauge,
   "Tasks that were sent to a worker and have not ended.",
   [](of pool, series& to) {
     for (const auto& each : pool.stats.members)
       to.add(each.in_flight, {{"worker", label_text(describe(each))}});
   }},
};

// -- of managed pools that measure times --------------------------------------

// NOLINTNEXTLINE(modernize-avoid-c-arrays): counts its rows by itself
constexpr metric<seen_pool> of_timed[] = {
  {"worker_busy_seconds_total", counter,
   "Sum of the service times of ended tasks.",
   [](of pool, series& to) { to.add(seconds(pool.stats.total.busy)); }},
  {"task_wait_seconds", distribution,
   "Time from the acceptance of a task to its start.",
   [](of pool, series& to) {
     to.add(pool.stats.total.waits, pool.stats.total.waited);
   }},
  {"task_service_seconds", distribution,
   "Time from the start of a task to its end.",
   [](of pool, series& to) {
     to.add(pool.stats.total.services, pool.stats.total.busy);
   }},
  {"flow_wait_seconds_total", counter,
   "Total waiting time, from acceptance to start, of the tasks of a flow; its "
   "rate divided by the rate of flow_served_total is the mean waiting time.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows,
                 [](auto& x) { return seconds(x.waited); });
   }},
  {"flow_oldest_waiting_seconds", gauge,
   "Waiting time of the next task of a flow; 0 if no task of the flow waits.",
   [](of pool, series& to) {
     auto now = pool.stats.taken;
     to.add_largest("flow", pool.stats.flows,
                    [now](auto& x) { return age(x.waiting_since, now); });
   }},
  {"oldest_waiting_seconds", gauge,
   "Time since the acceptance of the oldest task that was not sent to a "
   "worker; 0 if there is none.",
   [](of pool, series& to) {
     to.add(age(pool.stats.oldest_waiting, pool.stats.taken));
   }},
  {"longest_running_seconds", gauge,
   "Time since the start of the task that has run for longest; 0 if no task "
   "runs.",
   [](of pool, series& to) {
     to.add(age(pool.stats.longest_running, pool.stats.taken));
   }},
};

} // namespace

void append_pool_families(const std::vector<seen_pool>& pools,
                          std::vector<prometheus::MetricFamily>& to) {
  append_families(
    of_all, pools, [](of) { return true; }, to);
  append_families(
    of_managed, pools, [](of x) { return x.is_managed(); }, to);
  append_families(
    of_timed, pools, [](of x) { return x.stats.is_timed; }, to);
  append_node_families(pools, to);
}

} // namespace libpool::detail
