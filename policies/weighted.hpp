#pragma once

#include "libpool/policies/estimating_placement.hpp"

#include <optional>
#include <vector>

namespace libpool {

/// Base class of placements in which workers take turns, and the weight of each
/// worker is the time that it gets per turn.
class weighted : public estimating_placement {
protected:
  /// List of the data that the placement keeps of some workers, one record for
  /// each worker.
  using records = std::vector<estimate_record*>;

  using estimating_placement::estimating_placement;

  /// Returns true: before the first estimate, a task costs the weight of its
  /// worker.
  bool knows_costs() const noexcept final {
    return true;
  }

  /// Returns the record of the worker that should get the next task. `room` has
  /// the records of the workers to choose from, in the order in which the
  /// workers joined. The turns of workers change only in `took_turn`, which is
  /// called if the worker gets the task.
  /// @pre !room.empty()
  virtual estimate_record& pick(const records& room) noexcept = 0;

  /// Returns the time that the worker gets per turn: its weight. If the workers
  /// of the pool have no weights, the result is the estimated cost of one task.
  duration weight_of(const estimate_record& record) const noexcept;

  std::optional<duration>
  charge_for(const estimate_record& record) const noexcept override;

  /// Returns the position in `room` of the first worker whose number is at
  /// least `cursor`. `room` is sorted by the numbers of workers.
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
