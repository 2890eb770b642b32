#pragma once

#include "libpool/actors/caf/port/inspection.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/ledger.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
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
  /// Tasks that it took over from others.
  std::uint64_t stolen = 0;
  /// From acceptance to start, whosever tasks; `waits.percentile(99)`.
  histogram waits;
};

/// One worker and what it has done.
///
/// Has a handle of the worker: let go of it before the actor system ends.
struct member_stats : worker_stats {
  caf::actor worker;
  /// Tasks that it has been given and not ended.
  std::size_t in_flight = 0;
};

/// The state and the counts of a pool. In stats from another node, moments are
/// times of that node's clock.
struct pool_stats {
  std::size_t workers = 0;
  /// Messages refused so far, requests included.
  std::uint64_t refused = 0;

  // The rest only of managed pools.

  ledger tasks = {};
  /// The workers that serve, in the order in which they joined, and workers
  /// that were taken out and have not ended their last task.
  std::vector<member_stats> members = {};
  /// The sums over all workers, also over workers that are gone.
  worker_stats total = {};
  /// Crashed workers that were replaced.
  std::uint64_t restarts = 0;
  /// The waiting tasks that wait for particular workers.
  std::uint64_t held = 0;
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
    field{"mean_wait", x.mean_wait}, field{"lag", x.lag});
}

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, worker_stats& x) {
  return inspect_fields(
    f, x, "libpool::worker_stats", field{"completed", x.completed},
    field{"failed", x.failed}, field{"busy", x.busy},
    field{"mean_service", x.mean_service}, field{"max_service", x.max_service},
    field{"stolen", x.stolen}, field{"waits", x.waits});
}

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, member_stats& x) {
  auto& stats = static_cast<worker_stats&>(x);
  return inspect_fields(f, x, "libpool::member_stats", field{"stats", stats},
                        field{"worker", x.worker},
                        field{"in_flight", x.in_flight});
}

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, pool_stats& x) {
  return inspect_fields(
    f, x, "libpool::pool_stats", field{"workers", x.workers},
    field{"refused", x.refused}, field{"tasks", x.tasks},
    field{"members", x.members}, field{"total", x.total},
    field{"restarts", x.restarts}, field{"held", x.held},
    field{"leases", x.leases}, field{"lost_homes", x.lost_homes},
    field{"gathered", x.gathered}, field{"hedged", x.hedged},
    field{"answered_with_error", x.answered_with_error},
    field{"flows", x.flows});
}

} // namespace libpool
