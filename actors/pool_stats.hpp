#pragma once

#include "libpool/actors/caf/port/inspection.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/ledger.hpp"
#include "libpool/core/reason_counts.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// Counters and times of one worker, or of all workers together. Times are zero
/// if they are not measured.
struct worker_stats {
  /// Number of completed tasks.
  std::uint64_t completed = 0;
  /// Number of failed tasks.
  std::uint64_t failed = 0;
  /// Sum of the service times of the tasks that have ended.
  duration busy{0};
  /// Mean service time of the tasks that have ended.
  duration mean_service{0};
  /// Longest service time of the tasks that have ended.
  duration max_service{0};
  /// Mean waiting time, from acceptance to start, of the tasks that have ended.
  duration mean_wait{0};
  /// Number of tasks that were taken over from other workers, which had not
  /// begun these tasks.
  std::uint64_t stolen = 0;
};

/// Counters and state of one worker of a pool.
///
/// This object contains an actor handle, and must be destroyed before the end
/// of the actor system.
struct member_stats : worker_stats {
  /// Handle of the worker.
  caf::actor worker;
  /// Number of the worker, from 0 in the order in which workers joined; never
  /// reused.
  std::uint64_t number = 0;
  /// Name of the worker as an actor, or the name of its class if the actor has
  /// only a default name of CAF. For a node, the display name.
  std::string name;
  /// Whether the worker is leaving: it was removed, and has not ended its last
  /// task.
  bool is_leaving = false;
  /// Number of tasks that were sent to the worker and have not ended.
  std::size_t in_flight = 0;
  /// Start time of the running task; `never` if no task runs, or if times are
  /// not measured.
  instant running_since = never;
};

/// Returns the number and the name of the worker as text: "worker 3 (squarer)".
std::string describe(const member_stats& worker);

/// Counters and times of all workers of a pool, including workers that have
/// left.
struct all_workers_stats : worker_stats {
  /// Histogram of waiting times, from acceptance to start; see
  /// `histogram::percentile`.
  histogram waits;
  /// Histogram of service times, from start to end.
  histogram services;
  /// Sum of the waiting times, from acceptance to start.
  duration waited{0};
};

/// Numbers of workers that have left a running pool, by reason. Workers that
/// stop because the pool ends are not counted.
struct departure_counts {
  /// Number of workers that a user removed, or that left because the pool
  /// became smaller.
  std::uint64_t removed = 0;
  /// Number of workers that crashed or were lost with a node.
  std::uint64_t crashed = 0;
  /// Number of workers that ended without a crash, or that gave back messages
  /// without handling them.
  std::uint64_t ended = 0;
};

/// State and counters of a pool. If the pool is in another process, times are
/// read from the clock of that process.
struct pool_stats {
  /// Number of serving workers: workers that get tasks.
  std::size_t workers = 0;
  /// Number of messages that were refused, including requests.
  std::uint64_t refused = 0;

  // The remaining fields are set for managed pools only.

  /// Time at which these stats were collected.
  instant taken{};
  /// Whether the pool measures times: because the option `measure_times` is
  /// set, or because another option or the policy needs times.
  bool is_timed = false;
  /// Name of the policy, such as `shared_queue`; empty if the user composed the
  /// policy of parts.
  std::string policy = {};
  /// Numbers of tasks in each state, such as waiting or running, and with each
  /// outcome, such as completed or failed.
  ledger tasks = {};
  /// Stats of the serving and leaving workers, in the order in which the
  /// workers joined. Empty in the result of `actor_pool::summary`.
  std::vector<member_stats> members = {};
  /// Counters and times of all workers together, including workers that have
  /// left.
  all_workers_stats total = {};
  /// Number of serving workers that have tasks.
  std::size_t busy = 0;
  /// Number of leaving workers: workers that get no more tasks, and have not
  /// ended their last task.
  std::size_t leaving = 0;
  /// Number of tasks that the serving workers can run at the same time.
  std::size_t slots = 0;
  /// Numbers of workers that have left, by reason.
  departure_counts departed = {};
  /// Number of crashed workers that were replaced.
  std::uint64_t restarts = 0;
  /// Value of the field `capacity` if the number of waiting tasks is not
  /// limited.
  static constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
  /// Maximum number of waiting tasks; `unlimited` if the number is not limited.
  std::uint64_t capacity = unlimited;
  /// Number of waiting tasks that only particular workers may run.
  std::uint64_t held = 0;
  /// Number of tasks whose handlers still run although the tasks are settled,
  /// for example because a deadline has passed.
  std::uint64_t overdue = 0;
  /// Acceptance time of the oldest task that was not sent to a worker; `never`
  /// if no task waits.
  instant oldest_waiting = never;
  /// Start time of the task that has run for the longest time. Only the 64
  /// unfinished tasks that were sent first are considered; `never` if none of
  /// these runs, or if times are not measured.
  instant longest_running = never;
  /// Numbers of refused tasks, by reason.
  reason_counts refusals = {};
  /// Numbers of failed and cancelled tasks, by reason.
  reason_counts errors = {};
  /// Number of retries of tasks that had crashed their workers.
  std::uint64_t retries = 0;
  /// Number of leases so far. A lease is a group of short messages that a busy
  /// pool sends to a worker together.
  std::uint64_t leases = 0;
  /// Number of tasks whose home, the worker or node that has the data of the
  /// message, was not in the pool. Counted only with eager assignment, which
  /// chooses a worker when a message arrives.
  std::uint64_t lost_homes = 0;
  /// Number of messages that are handled by several tasks each, as with
  /// `actor_pool::quorum`.
  std::uint64_t gathered = 0;
  /// Number of messages for which the pool asked one more worker, because the
  /// first worker did not answer in time, see `actor_pool::hedged`.
  std::uint64_t hedged = 0;
  /// Number of completed tasks whose handlers answered with an error. Always 0
  /// if the pool does not intercept replies, as options such as `deadline`
  /// require.
  std::uint64_t answered_with_error = 0;
  /// Stats of flows, for example of tenants or clients; at most
  /// `flow_options::top_flows`. Flows with the most waiting messages come
  /// first. Empty unless the policy divides the time of the workers among
  /// flows, as `fair_queuing` does. A flow without tasks is forgotten after
  /// some time, together with its counters.
  std::vector<flow_stats> flows = {};

  /// Returns the change from `earlier`, which must be stats of the same pool,
  /// to these stats. Counters, histograms and means cover the time between both
  /// stats. Fields that are not counters, such as `workers`, keep their present
  /// values. `members` and `flows` are empty. `max_service` is the maximum over
  /// the lifetime of the pool.
  pool_stats since(const pool_stats& earlier) const;
};

// -- inspection by CAF, to send stats to other nodes --------------------------

/// Passes the counts in a histogram to an inspector of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, histogram& x) {
  auto counts = x.counts();
  auto count = x.count();
  auto load = [&] { x = histogram::from(counts, count); };
  return inspect_values(f, x, "libpool::histogram", load,
                        field{"counts", counts}, field{"count", count});
}

/// Passes the fields of a `ledger`, the numbers of tasks by state and outcome,
/// to an inspector of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, ledger& x) {
  return inspect_fields(
    f, x, "libpool::ledger", field{"accepted", x.accepted},
    field{"refused", x.refused}, field{"waiting", x.waiting},
    field{"assigned", x.assigned}, field{"sent", x.sent},
    field{"running", x.running}, field{"completed", x.completed},
    field{"failed", x.failed}, field{"cancelled", x.cancelled});
}

/// Passes the fields of `flow_stats`, the counters of one flow, to an inspector
/// of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, flow_stats& x) {
  return inspect_fields(
    f, x, "libpool::flow_stats", field{"name", x.name},
    field{"waiting", x.waiting}, field{"running", x.running},
    field{"waiting_since", x.waiting_since}, field{"served", x.served},
    field{"seat_time", x.seat_time}, field{"refused", x.refused},
    field{"waited", x.waited}, field{"mean_wait", x.mean_wait},
    field{"lag", x.lag});
}

/// Passes the numbers of tasks by reason in `reason_counts` to an inspector of
/// CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, reason_counts& x) {
  std::vector<std::pair<std::uint8_t, std::uint64_t>> counts;
  x.for_each([&](errc why, std::uint64_t n) {
    counts.emplace_back(static_cast<std::uint8_t>(why), n);
  });
  auto load = [&] {
    x = {};
    for (auto& [why, n] : counts)
      if (why < errc_count)
        x.add(static_cast<errc>(why), n);
  };
  return inspect_values(f, x, "libpool::reason_counts", load,
                        field{"counts", counts});
}

/// Passes the fields of `departure_counts` to an inspector of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, departure_counts& x) {
  return inspect_fields(f, x, "libpool::departure_counts",
                        field{"removed", x.removed},
                        field{"crashed", x.crashed}, field{"ended", x.ended});
}

/// Passes the fields of `worker_stats` to an inspector of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, worker_stats& x) {
  return inspect_fields(
    f, x, "libpool::worker_stats", field{"completed", x.completed},
    field{"failed", x.failed}, field{"busy", x.busy},
    field{"mean_service", x.mean_service}, field{"max_service", x.max_service},
    field{"mean_wait", x.mean_wait}, field{"stolen", x.stolen});
}

/// Passes the fields of `all_workers_stats` to an inspector of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, all_workers_stats& x) {
  auto& stats = static_cast<worker_stats&>(x);
  return inspect_fields(f, x, "libpool::all_workers_stats",
                        field{"stats", stats}, field{"waits", x.waits},
                        field{"services", x.services},
                        field{"waited", x.waited});
}

/// Passes the fields of `member_stats` to an inspector of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, member_stats& x) {
  auto& stats = static_cast<worker_stats&>(x);
  return inspect_fields(
    f, x, "libpool::member_stats", field{"stats", stats},
    field{"worker", x.worker}, field{"number", x.number}, field{"name", x.name},
    field{"is_leaving", x.is_leaving}, field{"in_flight", x.in_flight},
    field{"running_since", x.running_since});
}

/// Passes the fields of `pool_stats` to an inspector of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, pool_stats& x) {
  return inspect_fields(
    f, x, "libpool::pool_stats", field{"workers", x.workers},
    field{"refused", x.refused}, field{"taken", x.taken},
    field{"is_timed", x.is_timed}, field{"policy", x.policy},
    field{"tasks", x.tasks}, field{"members", x.members},
    field{"total", x.total}, field{"busy", x.busy}, field{"leaving", x.leaving},
    field{"slots", x.slots}, field{"departed", x.departed},
    field{"restarts", x.restarts}, field{"capacity", x.capacity},
    field{"held", x.held}, field{"overdue", x.overdue},
    field{"oldest_waiting", x.oldest_waiting},
    field{"longest_running", x.longest_running}, field{"refusals", x.refusals},
    field{"errors", x.errors}, field{"retries", x.retries},
    field{"leases", x.leases}, field{"lost_homes", x.lost_homes},
    field{"gathered", x.gathered}, field{"hedged", x.hedged},
    field{"answered_with_error", x.answered_with_error},
    field{"flows", x.flows});
}

} // namespace libpool
