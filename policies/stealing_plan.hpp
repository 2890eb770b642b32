#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// The workers and tasks that cost-aware stealing goes by, at one moment.
struct stealing_snapshot {
  struct worker {
    worker_number number{0};
    /// Since when it has nothing to do, and would take a task; never: it has
    /// one, or is to get none.
    instant idle_since = never;
  };

  /// A task that is in flight.
  struct task {
    /// Counts tasks by age.
    std::uint64_t number = 0;
    worker_number on{0};
    bool is_sent = false;
    /// For how long it has run, if it does.
    std::optional<duration> has_run;
    /// The cost that it was taken to have when it was bound.
    duration estimate{1};
    /// The time that it takes to move its data away from home, or to each
    /// worker, by number, where that differs.
    std::optional<worker_number> home;
    duration move{0};
    std::vector<duration> moves;
    /// The only workers that it may run on, if not all; ascending.
    std::optional<std::vector<worker_number>> only;
    /// Whether it belongs together with others.
    bool has_key = false;
  };

  std::vector<worker> workers;
  std::vector<task> tasks;
};

/// A task that moves.
struct steal {
  std::uint64_t task = 0;
  worker_number from{0};
  worker_number to{0};
};

constexpr bool operator==(const steal& x, const steal& y) noexcept {
  return x.task == y.task && x.from == y.from && x.to == y.to;
}

/// The tasks that idle workers would take over right now by the rule of
/// `cost_aware_stealing`, in order, until no worker would take one: to see what
/// stealing would do, or to check that it does. This is the rule as it reads,
/// without the bookkeeping that makes it fast.
///
/// Cost: O(tasks · log tasks) for each idle worker, and for each move as many
///       times again.
std::vector<steal> plan(stealing_snapshot snapshot);

} // namespace libpool
