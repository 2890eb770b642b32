#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/placement/weighted.hpp"

#include <cstddef>

namespace libpool {

/// Placement that chooses the workers in turn. The weight of a worker is the
/// time that it gets for each turn, its budget. When a task is assigned to the
/// worker, the estimated cost of the task is deducted from the budget. When the
/// task ends, the estimate is replaced by the actual cost. The turn lasts until
/// the budget is used up. A worker that has used more than its budget is passed
/// over until its later budgets cover the excess. In the long run, time is
/// shared exactly in proportion to the weights, independent of the costs of
/// single tasks.
///
/// Without weights, all workers have the same share, and a turn lasts for about
/// one task.
///
/// Source: poolifier's weighted round robin, which does not correct charges.
/// Order:  the order in which the workers joined; a worker that joins later has
///         its first turn, with no budget left over, after all others; workers
///         without room are passed over, and keep the rest of their budgets.
/// Cost:   O(log workers) for a choice while the turn of a worker lasts;
///         otherwise O(workers), because each worker that is visited gets a
///         budget. O(workers), a short move in memory, when a worker is offered
///         or withdrawn.
class LIBPOOL_EXPORT weighted_round_robin final : public weighted {
public:
  /// Makes a placement for a pool without workers.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
  explicit weighted_round_robin(const estimate_options& options = {});

private:
  /// Workers that the search for the next worker visits, in turn. With each
  /// visit, a worker gets its weight as a budget of time. A worker may be
  /// visited several times.
  struct walk {
    const records* room = nullptr;
    std::size_t from = 0;
    /// Number of complete laps. In each lap, the search visits all workers.
    duration::rep laps = 0;
    /// Number of workers that the search visits after the complete laps.
    std::size_t visits = 0;
  };

  estimate_record& pick(const records& room) noexcept override;
  void ended_turns() noexcept override;
  void settled(estimate_record& record, duration cost) noexcept override;
  void charged(estimate_record& record, duration more) noexcept override;

  estimate_record& visited(std::size_t i) const noexcept;
  estimate_record* lap() noexcept;
  duration::rep laps_in_debt() const noexcept;

  /// Visits of the last choice. The visited workers get their budgets in
  /// `ended_turns`, when the chosen worker gets the task.
  walk next_;
};

} // namespace libpool
