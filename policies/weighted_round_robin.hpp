#pragma once

#include "libpool/policies/weighted.hpp"

#include <cstddef>
#include <optional>

namespace libpool {

/// The workers in turn, each until its weight is used up: a budget of time, per
/// visit, that goes down by what its tasks cost. In the long run time is shared
/// exactly in proportion to the weights, whatever tasks cost: each one is
/// charged its estimate when it is assigned, which is corrected when it ends,
/// and who has used too much sits out as many visits as that takes.
///
/// Without weights all have the same share, and a visit is about one task long.
///
/// Source: poolifier's weighted round robin, which corrects nothing.
/// Order:  as they joined; those without room are passed over, and keep what
///         they have left.
/// Cost:   O(1) for a worker that has some of its budget left, otherwise
///         O(workers): each that is passed over gets its budget. O(workers),
///         a short move in memory, when one is offered.
class weighted_round_robin final : public weighted {
public:
  /// Errors: std::invalid_argument names the option that is out of bounds.
  explicit weighted_round_robin(const placement_options& options = {});

private:
  record& pick(const records& room) noexcept override;
  void settled(record& who, duration cost) noexcept override;
  void charged(record& who, duration more) noexcept override;

  record* lap(const records& room, std::size_t from) noexcept;
  void skip_laps(const records& room) noexcept;

  /// Where the last choice was made.
  std::optional<worker_number> cursor_;
};

} // namespace libpool
