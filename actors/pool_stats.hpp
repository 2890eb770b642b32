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

/// The counts and times of one worker, or of all of them. Times are zero where
/// they are not measured.
struct worker_stats {
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  /// Sum of the service times of the tasks that have ended.
  duration busy{0};
  duration mean_service{0};
  duration max_service{0};
  /// From acceptance to start, whosever tasks.
  duration mean_wait{0};
  /// Tasks that it took over from others.
  std::uint64_t stolen = 0;
};

/// One worker and what it has done.
///
/// Has a handle of the worker: let go of it before the actor system ends.
struct member_stats : worker_stats {
  caf::actor worker;
  /// Counted from 0, in the order in which workers joined; never used again.
  std::uint64_t number = 0;
  /// Name of the actor, or its class where it has only CAF's default name. Of a
  /// node, the display name.
  std::string name;
  /// Whether it was taken out, and has not ended its last task.
  bool is_leaving = false;
  /// Tasks that it has been given and not ended.
  std::size_t in_flight = 0;
  /// When the task that it runs has begun; `never` if it runs none, or times
  /// are not measured.
  instant running_since = never;
};

/// Returns the worker in words: "worker 3 (squarer)", where 3 is its number in
/// the pool.
std::string describe(const member_stats& worker);

/// All workers that there ever were.
struct all_workers_stats : worker_stats {
  /// From acceptance to start, and from there to the end; for example
  /// `waits.percentile(99)`.
  histogram waits;
  histogram services;
  /// The sum of the times from acceptance to start.
  duration waited{0};
};

/// Numbers of workers that have left a pool while it served, by reason. Workers
/// that the pool stops when it ends count as none of them.
struct departure_counts {
  /// Workers taken out by a user, or because the pool became smaller.
  std::uint64_t removed = 0;
  /// Workers that ended for a reason that counts as a crash, or were lost with
  /// their node.
  std::uint64_t crashed = 0;
  /// Workers that ended by themselves without a fault, or gave messages back
  /// without looking at them.
  std::uint64_t ended = 0;
};

/// The state and the counts of a pool. In stats from another node, moments are
/// times of that node's clock.
struct pool_stats {
  std::size_t workers = 0;
  /// Messages refused so far, requests included.
  std::uint64_t refused = 0;

  // The rest only of managed pools.

  /// When these were collected.
  instant taken{};
  /// Whether times are measured: because of `measure_times`, or since something
  /// else needs them.
  bool is_timed = false;
  /// The name of the policy: `shared_queue` and so on; empty for one that is
  /// made of parts.
  std::string policy = {};
  ledger tasks = {};
  /// The workers that serve, in the order in which they joined, and workers
  /// that were taken out and have not ended their last task. Empty in a
  /// summary.
  std::vector<member_stats> members = {};
  /// The sums over all workers, also over workers that are gone.
  all_workers_stats total = {};
  /// Of the workers that serve, those that have something to do; and those that
  /// serve no more, but have not ended their last task.
  std::size_t busy = 0;
  std::size_t leaving = 0;
  /// How many tasks the workers that serve can run at once.
  std::size_t slots = 0;
  departure_counts departed = {};
  /// Crashed workers that were replaced.
  std::uint64_t restarts = 0;
  static constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
  /// How many tasks may wait.
  std::uint64_t capacity = unlimited;
  /// The waiting tasks that wait for particular workers.
  std::uint64_t held = 0;
  /// Tasks that are settled, but whose handlers still run.
  std::uint64_t overdue = 0;
  /// Since when the oldest of the tasks has waited that no worker has got;
  /// `never` if none waits.
  instant oldest_waiting = never;
  /// Since when the longest running task has run; `never` if none runs. Looked
  /// for among the 64 that were sent first.
  instant longest_running = never;
  /// Why tasks were refused; why they have failed or were cancelled.
  reason_counts refusals = {};
  reason_counts errors = {};
  /// How often a task was to run again since it had crashed its worker.
  std::uint64_t retries = 0;
  /// How often a worker was left several messages at a time.
  std::uint64_t leases = 0;
  /// Tasks whose home was no worker.
  std::uint64_t lost_homes = 0;
  /// Messages that were handled by several tasks, and how many of them had one
  /// more worker asked, since the first one took long.
  std::uint64_t gathered = 0;
  std::uint64_t hedged = 0;
  /// Completed tasks whose handlers have answered with an error, as far as
  /// replies are intercepted.
  std::uint64_t answered_with_error = 0;
  /// The flows with the most waiting messages first, where the order goes by
  /// flows; at most as many as the options say. Flows without tasks are
  /// forgotten in time, and so are their counts.
  std::vector<flow_stats> flows = {};

  /// What has happened since `earlier`, former stats of the same pool: counts
  /// and histograms of the time between, means of that time, and the state as
  /// it is now. Without members and flows. `max_service` is that of all time.
  pool_stats since(const pool_stats& earlier) const;
};

// -- for CAF, to send it to other nodes ---------------------------------------

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, histogram& x) {
  auto counts = x.counts();
  auto count = x.count();
  auto load = [&] { x = histogram::from(counts, count); };
  return inspect_values(f, x, "libpool::histogram", load,
                        field{"counts", counts}, field{"count", count});
}

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, ledger& x) {
  return inspect_fields(
    f, x, "libpool::ledger", field{"accepted", x.accepted},
    field{"refused", x.refused}, field{"waiting", x.waiting},
    field{"assigned", x.assigned}, field{"sent", x.sent},
    field{"running", x.running}, field{"completed", x.completed},
    field{"failed", x.failed}, field{"cancelled", x.cancelled});
}

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

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, departure_counts& x) {
  return inspect_fields(f, x, "libpool::departure_counts",
                        field{"removed", x.removed},
                        field{"crashed", x.crashed}, field{"ended", x.ended});
}

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, worker_stats& x) {
  return inspect_fields(
    f, x, "libpool::worker_stats", field{"completed", x.completed},
    field{"failed", x.failed}, field{"busy", x.busy},
    field{"mean_service", x.mean_service}, field{"max_service", x.max_service},
    field{"mean_wait", x.mean_wait}, field{"stolen", x.stolen});
}

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, all_workers_stats& x) {
  auto& stats = static_cast<worker_stats&>(x);
  return inspect_fields(f, x, "libpool::all_workers_stats",
                        field{"stats", stats}, field{"waits", x.waits},
                        field{"services", x.services},
                        field{"waited", x.waited});
}

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, member_stats& x) {
  auto& stats = static_cast<worker_stats&>(x);
  return inspect_fields(
    f, x, "libpool::member_stats", field{"stats", stats},
    field{"worker", x.worker}, field{"number", x.number}, field{"name", x.name},
    field{"is_leaving", x.is_leaving}, field{"in_flight", x.in_flight},
    field{"running_since", x.running_since});
}

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
