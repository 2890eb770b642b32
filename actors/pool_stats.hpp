#pragma once

#include "libpool/core/flow.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/ledger.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/none.hpp>

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
typename Inspector::result_type inspect(Inspector& f, histogram& x) {
  auto counts = x.counts();
  auto count = x.count();
  auto load = [&]() -> caf::error {
    x = histogram::from(counts, count);
    return caf::none;
  };
  return f(caf::meta::type_name("libpool::histogram"), counts, count,
           caf::meta::load_callback(load));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ledger& x) {
  return f(caf::meta::type_name("libpool::ledger"), x.accepted, x.refused,
           x.waiting, x.assigned, x.sent, x.running, x.completed, x.failed,
           x.cancelled);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, flow_stats& x) {
  return f(caf::meta::type_name("libpool::flow_stats"), x.name, x.waiting,
           x.running, x.waiting_since, x.served, x.seat_time, x.refused,
           x.mean_wait, x.lag);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, worker_stats& x) {
  return f(caf::meta::type_name("libpool::worker_stats"), x.completed, x.failed,
           x.busy, x.mean_service, x.max_service, x.stolen, x.waits);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, member_stats& x) {
  return f(caf::meta::type_name("libpool::member_stats"),
           static_cast<worker_stats&>(x), x.worker, x.in_flight);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pool_stats& x) {
  return f(caf::meta::type_name("libpool::pool_stats"), x.workers, x.refused,
           x.tasks, x.members, x.total, x.restarts, x.held, x.lost_homes,
           x.gathered, x.hedged, x.flows);
}

} // namespace libpool
