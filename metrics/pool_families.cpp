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
  {"pool_info", gauge, "Which policy a pool has, and the version of libpool.",
   [](of pool, series& to) {
     to.add(1,
            {{"policy", policy_of(pool)}, {"version", std::string{version}}});
   }},
  {"workers", gauge,
   "Workers by state: idle, busy, or leaving with a task that they have begun; "
   "of a direct pool, which does not know, serving.",
   [](of pool, series& to) {
     const auto& now = pool.stats;
     if (!pool.is_managed())
       return to.add(now.workers, {{"state", "serving"}});
     to.add(now.workers - now.busy, {{"state", "idle"}});
     to.add(now.busy, {{"state", "busy"}});
     to.add(now.leaving, {{"state", "leaving"}});
   }},
  {"tasks_refused_total", counter,
   "Tasks that were not accepted, by reason; unknown with direct pools.",
   [](of pool, series& to) {
     if (!pool.is_managed())
       return to.add(pool.stats.refused, {{"reason", "unknown"}});
     add_reasons(to, pool.stats.refusals, refusals);
   }},
};

// -- of managed pools ---------------------------------------------------------

// NOLINTNEXTLINE(modernize-avoid-c-arrays): counts its rows by itself
constexpr metric<seen_pool> of_managed[] = {
  {"worker_slots", gauge, "Tasks that the workers can run at once.",
   [](of pool, series& to) { to.add(pool.stats.slots); }},
  {"worker_restarts_total", counter, "Crashed workers that were replaced.",
   [](of pool, series& to) { to.add(pool.stats.restarts); }},
  {"workers_left_total", counter,
   "Workers that have left: removed, crashed or lost with their node, or ended "
   "by themselves.",
   [](of pool, series& to) {
     const auto& left = pool.stats.departed;
     to.add(left.removed, {{"reason", "removed"}});
     to.add(left.crashed, {{"reason", "crashed"}});
     to.add(left.ended, {{"reason", "ended"}});
   }},
  {"tasks", gauge,
   "Tasks by state: waiting, assigned to a worker, sent to one, or running.",
   [](of pool, series& to) {
     const auto& now = pool.stats.tasks;
     to.add(now.waiting, {{"state", "waiting"}});
     to.add(now.assigned, {{"state", "assigned"}});
     to.add(now.sent, {{"state", "sent"}});
     to.add(now.running, {{"state", "running"}});
   }},
  {"tasks_held", gauge, "Waiting tasks that wait for particular workers.",
   [](of pool, series& to) { to.add(pool.stats.held); }},
  {"tasks_overdue", gauge, "Settled tasks whose handlers still run.",
   [](of pool, series& to) { to.add(pool.stats.overdue); }},
  {"task_capacity", gauge, "Tasks that may wait; absent if there is no limit.",
   [](of pool, series& to) {
     if (pool.stats.capacity != pool_stats::unlimited)
       to.add(pool.stats.capacity);
   }},
  {"tasks_accepted_total", counter, "Tasks that were accepted.",
   [](of pool, series& to) { to.add(pool.stats.tasks.accepted); }},
  {"tasks_settled_total", counter,
   "Accepted tasks that are settled, by outcome.",
   [](of pool, series& to) {
     const auto& now = pool.stats.tasks;
     to.add(now.completed, {{"outcome", "completed"}});
     to.add(now.failed, {{"outcome", "failed"}});
     to.add(now.cancelled, {{"outcome", "cancelled"}});
   }},
  {"task_errors_total", counter,
   "Tasks that have failed or were cancelled, by reason, and completed ones "
   "that were answered with an error of the worker: worker_error.",
   [](of pool, series& to) {
     add_reasons(to, pool.stats.errors, errors);
     to.add(pool.stats.answered_with_error, {{"reason", "worker_error"}});
   }},
  {"task_retries_total", counter,
   "Times that a task was to run again since it had crashed its worker.",
   [](of pool, series& to) { to.add(pool.stats.retries); }},
  {"tasks_stolen_total", counter, "Tasks that workers took over from others.",
   [](of pool, series& to) { to.add(pool.stats.total.stolen); }},
  {"homes_lost_total", counter, "Tasks whose home was no worker.",
   [](of pool, series& to) { to.add(pool.stats.lost_homes); }},
  {"gathers_total", counter, "Messages that were handled by several tasks.",
   [](of pool, series& to) { to.add(pool.stats.gathered); }},
  {"hedges_total", counter,
   "Messages that one more worker was asked for, since the first took long.",
   [](of pool, series& to) { to.add(pool.stats.hedged); }},
  {"flow_waiting", gauge, "Waiting tasks of a flow, of the longest flows.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows, [](auto& x) { return x.waiting; });
   }},
  {"flow_running", gauge, "Tasks of a flow that are in flight.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows, [](auto& x) { return x.running; });
   }},
  {"flow_served_total", counter, "Tasks of a flow whose handlers have ended.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows, [](auto& x) { return x.served; });
   }},
  {"flow_refused_total", counter, "Tasks of a flow that were not accepted.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows, [](auto& x) { return x.refused; });
   }},
  {"flow_lag_seconds", gauge,
   "How far a flow is behind its share; below 0, it has had too much.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows,
                 [](auto& x) { return seconds(x.lag); });
   }},
  {"worker_in_flight", gauge, "Tasks that a worker has been given.",
   [](of pool, series& to) {
     for (const auto& each : pool.stats.members)
       to.add(each.in_flight, {{"worker", label_text(describe(each))}});
   }},
};

// -- of managed pools that measure times --------------------------------------

// NOLINTNEXTLINE(modernize-avoid-c-arrays): counts its rows by itself
constexpr metric<seen_pool> of_timed[] = {
  {"worker_busy_seconds_total", counter,
   "Time that workers have spent in handlers that have ended.",
   [](of pool, series& to) { to.add(seconds(pool.stats.total.busy)); }},
  {"task_wait_seconds", distribution,
   "Time from the acceptance of a task to its start.",
   [](of pool, series& to) {
     to.add(pool.stats.total.waits, pool.stats.total.waited);
   }},
  {"task_service_seconds", distribution,
   "Time that the handler of a task has taken.",
   [](of pool, series& to) {
     to.add(pool.stats.total.services, pool.stats.total.busy);
   }},
  {"flow_wait_seconds_total", counter,
   "Time from acceptance to start of the served tasks of a flow: its rate by "
   "that of flow_served_total is the mean wait.",
   [](of pool, series& to) {
     to.add_each("flow", pool.stats.flows,
                 [](auto& x) { return seconds(x.waited); });
   }},
  {"flow_oldest_waiting_seconds", gauge,
   "How long the next task of a flow has waited; 0 if none waits.",
   [](of pool, series& to) {
     auto now = pool.stats.taken;
     to.add_largest("flow", pool.stats.flows,
                    [now](auto& x) { return age(x.waiting_since, now); });
   }},
  {"oldest_waiting_seconds", gauge,
   "Age of the oldest task that no worker has got; 0 if there is none.",
   [](of pool, series& to) {
     to.add(age(pool.stats.oldest_waiting, pool.stats.taken));
   }},
  {"longest_running_seconds", gauge,
   "How long the longest running task has run; 0 if none runs.",
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
