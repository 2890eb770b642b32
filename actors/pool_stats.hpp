#pragma once

#include "libpool/actors/caf/port/inspection.hpp"
#include "libpool/actors/inspect_figures.hpp"
#include "libpool/core/pool_figures.hpp"
#include "libpool/export.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

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
  /// Whether a user has paused the worker.
  bool is_paused = false;
  /// Number of tasks that are assigned to the worker or were sent to it, and
  /// have not ended.
  std::size_t in_flight = 0;
  /// Start time of the running task; `never` if no task runs, or if times are
  /// not measured.
  instant running_since = never;
};

/// Returns the number and the name of the worker as text: "worker 3 (squarer)".
LIBPOOL_EXPORT std::string describe(const member_stats& worker);

/// State and counters of a pool, with its workers. If the pool is in another
/// process, times are read from the clock of that process.
struct LIBPOOL_EXPORT pool_stats : pool_figures {
  /// Stats of the serving and leaving workers, in the order in which the
  /// workers joined. Empty in the result of `actor_pool::summary`.
  std::vector<member_stats> members = {};

  /// Returns the change from `earlier`, which must be stats of the same pool,
  /// to these stats. Counters, histograms and means cover the time between both
  /// stats. Fields that are not counters, such as `workers`, keep their present
  /// values. `members` and `flows` are empty. `max_service` is the maximum over
  /// the lifetime of the pool.
  pool_stats since(const pool_stats& earlier) const;
};

// -- descriptions -------------------------------------------------------------

/// The figures of one worker.
template <>
struct description<member_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return description<worker_stats>::visit([&](auto, const auto&... base) {
      return f("libpool::member_stats", gauge("number", &member_stats::number),
               gauge("name", &member_stats::name),
               gauge("is_leaving", &member_stats::is_leaving).not_in_json(),
               gauge("is_paused", &member_stats::is_paused),
               gauge("in_flight", &member_stats::in_flight), base...,
               age("running_since", &member_stats::running_since)
                 .json("running_for_s"),
               gauge("worker", &member_stats::worker).not_in_json());
    });
  }
};

/// The figures of a pool and of its workers.
template <>
struct description<pool_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return description<pool_figures>::visit([&](auto, const auto&... base) {
      return f("libpool::pool_stats", base...,
               gauge("members", &pool_stats::members).not_in_json());
    });
  }
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

} // namespace libpool
