#pragma once

#include "libpool/policies/estimating_placement.hpp"

#include <optional>
#include <vector>

namespace libpool {

/// Base class of placements that give each worker a budget of time.
class weighted : public estimating_placement {
protected:
  /// The records of the workers.
  using records = std::vector<estimate_record*>;

  using estimating_placement::estimating_placement;

  /// Returns one of `room`, which are in the order in which their workers
  /// joined. The choice takes effect in `took_turn`, which is only called if
  /// the worker gets the task.
  /// @pre !room.empty()
  virtual estimate_record& pick(const records& room) noexcept = 0;

  /// Returns the budget of the worker for one visit; if no weights are given,
  /// the common estimate of one task.
  duration weight_of(const estimate_record& record) const noexcept;

  std::optional<duration>
  charge_for(const estimate_record& record) const noexcept override;

  /// Returns the first worker of `room` at the cursor or after it.
  static records::const_iterator at_or_behind(const records& room,
                                              worker_number cursor) noexcept;

private:
  void entered(estimate_record& record) noexcept override;
  void withdrew(estimate_record& record) noexcept override;
  void changed(estimate_record& record) noexcept override;
  worker* best(instant now) noexcept override;
  worker* best_of(const std::vector<worker*>& some,
                  instant now) noexcept override;

  records offered_; // in the order in which they joined
  records some_;
};

} // namespace libpool
