#pragma once

#include "libpool/policies/estimating_placement.hpp"

#include <optional>
#include <vector>

namespace libpool {

/// The base of placements that give each worker a budget of time.
class weighted : public estimating_placement {
protected:
  using records = std::vector<estimate_record*>;

  using estimating_placement::estimating_placement;

  /// One of `room`, in the order in which they joined; at least one is there.
  /// Its effect shows when the turn is taken, if it is.
  virtual estimate_record& pick(const records& room) noexcept = 0;

  /// The budget of a worker for one visit: as long as a task where none is
  /// given, since equal weights say only that shares are equal.
  duration weight_of(const estimate_record& record) const noexcept;

  std::optional<duration>
  charge_for(const estimate_record& record) const noexcept override;

  /// The first worker of `room` that is at the cursor or behind it.
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
