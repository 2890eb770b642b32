#pragma once

#include "libpool/policies/weighted.hpp"

#include <cstddef>
#include <optional>

namespace libpool {

/// The workers in turn, each until its weight is used up: a budget of time, per
/// visit, that goes down by what its tasks cost. In the long run time is shared
/// exactly in proportion to the weights, whatever tasks cost: each one is
/// charged its estimate when it is assigned, which is corrected when it ends,
/// and a worker that has used too much sits out as many visits as that takes.
///
/// Without weights all have the same share, and a visit is about one task long.
///
/// Source: poolifier's weighted round robin, which corrects nothing.
/// Order:  as they joined; workers without room are passed over, and keep the
///         rest of their budgets.
/// Cost:   O(1) for a worker that has some of its budget left, otherwise
///         O(workers): each that is passed over gets its budget. O(workers),
///         a short move in memory, when one is offered.
class weighted_round_robin final : public weighted {
public:
  /// Errors: std::invalid_argument names the option that is out of bounds.
  explicit weighted_round_robin(const estimate_options& options = {});

private:
  /// A walk along the workers on which each that is visited gets its weight.
  struct walk {
    const records* room = nullptr;
    std::size_t from = 0;
    /// Laps that are complete, and how many are visited after these.
    duration::rep laps = 0;
    std::size_t visits = 0;
  };

  estimate_record& pick(const records& room) noexcept override;
  void took_turn() noexcept override;
  void settled(estimate_record& record, duration cost) noexcept override;
  void charged(estimate_record& record, duration more) noexcept override;

  estimate_record& visited(std::size_t i) const noexcept;
  estimate_record* lap() noexcept;
  duration::rep laps_in_debt() const noexcept;

  /// Where the last choice was made.
  std::optional<worker_number> cursor_;
  /// To the worker that was chosen last, if its turn is taken.
  walk next_;
};

} // namespace libpool
