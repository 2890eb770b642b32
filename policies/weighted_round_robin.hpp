#pragma once

#include "libpool/policies/weighted.hpp"

#include <cstddef>
#include <optional>

namespace libpool {

/// Placement that chooses the workers in turn, each until it has used up its
/// weight: a budget of time per visit, from which the costs of its tasks are
/// deducted. In the long run time is shared exactly in proportion to the
/// weights, independent of the costs of single tasks. Each task is charged its
/// estimate at assignment, and the charge is corrected when the task ends. A
/// worker that has used too much is passed over until its budgets cover that.
///
/// Without weights all workers have the same share, and a visit lasts for about
/// one task.
///
/// Source: poolifier's weighted round robin, which does not correct charges.
/// Order:  as the workers joined; workers without room are passed over, and
///         keep the rest of their budgets.
/// Cost:   O(log workers) for a worker with budget left, otherwise O(workers),
///         because each worker that is visited gets its budget. O(workers), a
///         short move in memory, when a worker is offered.
class weighted_round_robin final : public weighted {
public:
  /// Errors: std::invalid_argument names the option that is out of bounds.
  explicit weighted_round_robin(const estimate_options& options = {});

private:
  /// A walk along the workers in which each visited worker gets its weight.
  struct walk {
    const records* room = nullptr;
    std::size_t from = 0;
    /// Number of complete laps.
    duration::rep laps = 0;
    /// Number of visits after these laps.
    std::size_t visits = 0;
  };

  estimate_record& pick(const records& room) noexcept override;
  void took_turn() noexcept override;
  void settled(estimate_record& record, duration cost) noexcept override;
  void charged(estimate_record& record, duration more) noexcept override;

  estimate_record& visited(std::size_t i) const noexcept;
  estimate_record* lap() noexcept;
  duration::rep laps_in_debt() const noexcept;

  /// The worker chosen last.
  std::optional<worker_number> cursor_;
  /// Walk of the last choice; `took_turn` applies it.
  walk next_;
};

} // namespace libpool
